/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.elasticsearch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Talks to a node as its users do. */
final class Http {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;

  Http(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  JsonNode get(String path) throws IOException {
    return call("GET", path, null);
  }

  JsonNode put(String path, String body) throws IOException {
    return call("PUT", path, body);
  }

  JsonNode post(String path, String body) throws IOException {
    return call("POST", path, body);
  }

  JsonNode delete(String path) throws IOException {
    return call("DELETE", path, null);
  }

  /** Returns what is answered, of which it has to be sure that it is an answer. */
  JsonNode call(String method, String path, String body) throws IOException {
    return JSON.readTree(text(method, path, body));
  }

  String text(String method, String path, String body) throws IOException {
    HttpResponse<String> response = send(method, path, body);
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          method + " " + path + ": " + response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  HttpResponse<String> send(String method, String path, String body) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofMinutes(2))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (body != null) {
      request.header(
          "Content-Type", path.contains("_bulk") ? "application/x-ndjson" : "application/json");
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
