/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.opensearch;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** Requests to a node by HTTP, and what is in its answers. */
final class Rest implements AutoCloseable {

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI base;

  Rest(int port) {
    this.base = URI.create("http://127.0.0.1:" + port);
  }

  /** Returns the answer as it is, whatever its status. */
  HttpResponse<String> send(String method, String path, String body) throws IOException {
    HttpRequest.BodyPublisher publisher =
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body);
    HttpRequest request =
        HttpRequest.newBuilder(base.resolve(path))
            .timeout(Duration.ofMinutes(5))
            .header("Content-Type", "application/json")
            .method(method, publisher)
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Returns the body of an answer that has to say that all is well. */
  String text(String method, String path, String body) throws IOException {
    HttpResponse<String> response = send(method, path, body);
    if (response.statusCode() / 100 != 2) {
      throw new AssertionError(
          method + " " + path + ": " + response.statusCode() + " " + response.body());
    }
    return response.body();
  }

  /** Does what {@link #text} does, but returns the body as an object. */
  Map<String, Object> json(String method, String path, String body) throws IOException {
    return XContentHelper.convertToMap(JsonXContent.jsonXContent, text(method, path, body), false);
  }

  /** Returns what is at a place in an object. */
  static Object at(Map<String, Object> object, String... path) {
    Object value = object;
    for (String name : path) {
      value = ((Map<?, ?>) value).get(name);
      if (value == null) {
        throw new AssertionError("no " + List.of(path) + " in " + object);
      }
    }
    return value;
  }

  static long number(Map<String, Object> object, String... path) {
    return ((Number) at(object, path)).longValue();
  }

  @Override
  public void close() {
    client.close();
  }
}
