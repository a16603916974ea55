/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** Talks JSON with a server on this machine. Thread-safe; a connection is used again and again. */
record RestClient(URI server, HttpClient client) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(10);

  static RestClient of(int port) {
    return new RestClient(
        URI.create("http://127.0.0.1:" + port),
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build());
  }

  JsonNode get(String path) throws IOException {
    return call("GET", path, "");
  }

  /** Returns what the server answers to a body of JSON, or of lines of it. */
  JsonNode call(String method, String path, String body) throws IOException {
    return parse(path, send(method, path, body));
  }

  /**
   * Returns what the server answers, as it comes.
   *
   * @throws IOException if there is no answer, or one that says that something failed
   */
  byte[] send(String method, String path, String body) throws IOException {
    return send(method, path, body, ANSWER_TIMEOUT);
  }

  /** Does the same with a timeout of its own. */
  byte[] send(String method, String path, String body, Duration timeout) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<byte[]> response = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
      if (response.statusCode() / 100 != 2) {
        String answer = response.statusCode() + ": " + text(response.body());
        throw new IOException(method + " " + path + " was answered with " + answer);
      }
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + method + " " + path, e);
    }
  }

  static JsonNode parse(String path, byte[] answer) throws IOException {
    try {
      return JSON.readTree(answer);
    } catch (JsonProcessingException e) {
      throw new IOException(path + " was answered with no JSON: " + text(answer), e);
    }
  }

  private static String text(byte[] answer) {
    return String.format(Locale.ROOT, "%.500s", new String(answer, StandardCharsets.UTF_8).strip());
  }
}
