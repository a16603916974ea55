/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a real HTTP server of the JDK's. */
class RestClientTest {
  private HttpServer server;
  private RestClient rest;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("/echo", 200, null);
    answer("/refused", 404, "{\"error\":\"no such index\"}");
    answer("/garbage", 200, "<html>");
    server.start();
    rest = new RestClient(server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(String path, int status, String answer) {
    server.createContext(
        path,
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          byte[] out = answer == null ? body : answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, out.length == 0 ? -1 : out.length);
          exchange.getResponseBody().write(out);
          exchange.close();
        });
  }

  @Test
  void sendsAndTakesJson() throws IOException {
    assertEquals(4, rest.call("POST", "/echo", "{\"a\":4}").path("a").asInt());
  }

  @Test
  void statusesThatSayThatItFailedDo() {
    IOException e = assertThrows(IOException.class, () -> rest.get("/refused?x=1"));
    assertEquals(
        "GET /refused?x=1 was answered with 404: {\"error\":\"no such index\"}", e.getMessage());
  }

  @Test
  void whatIsNoJsonIsShown() {
    IOException e = assertThrows(IOException.class, () -> rest.get("/garbage"));
    assertTrue(
        e.getMessage().contains("/garbage was answered with no JSON: <html>"), e.getMessage());
  }
}
