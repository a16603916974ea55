/* SPDX-License-Identifier: Apache-2.0 */
package dev.pread.benchmarks.page;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * What a library drew, made fit to be one of many inline pictures: no ids, which would clash, no
 * clipping (nothing lies outside), no invisible areas; the pieces of a line joined, so that its
 * dashes run on; coordinates with one decimal.
 */
final class SvgMarks {
  private static final Pattern DECIMALS = Pattern.compile("-?\\d+\\.\\d+(?:[eE]-?\\d+)?");

  private final StringBuilder out = new StringBuilder();
  private final StringBuilder points = new StringBuilder();

  /** Those of the line that is being joined: they come on top of it. */
  private final StringBuilder markers = new StringBuilder();

  private String style = "";
  private String end = "";

  private SvgMarks() {}

  /** The shapes of a picture as markup. */
  static String of(byte[] svg) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
      factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
      Element root =
          factory.newDocumentBuilder().parse(new ByteArrayInputStream(svg)).getDocumentElement();
      SvgMarks marks = new SvgMarks();
      marks.children(root);
      marks.endLine();
      return marks.out.toString();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("the plot is no XML: " + e, e);
    }
  }

  private void children(Element parent) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element) {
        Element element = (Element) node;
        switch (element.getTagName()) {
          case "g" -> children(element);
          case "line" -> line(element);
          case "ellipse", "polygon", "polyline", "path", "rect", "circle" -> shape(element);
          default -> {
            // Definitions of what is not used here.
          }
        }
      }
    }
  }

  private void line(Element line) {
    String from = number(line, "x1") + "," + number(line, "y1");
    String to = number(line, "x2") + "," + number(line, "y2");
    String drawn = style(line);
    if (!from.equals(end) || !drawn.equals(style)) {
      endLine();
      style = drawn;
      points.append(from);
    }
    points.append(' ').append(to);
    end = to;
  }

  private void endLine() {
    if (points.length() > 0) {
      out.append("<polyline points=\"").append(points).append("\" style=\"").append(style);
      out.append("\"/>");
      points.setLength(0);
      end = "";
    }
    out.append(markers);
    markers.setLength(0);
  }

  private void shape(Element shape) {
    String drawn = style(shape);
    if (drawn.contains("fill-opacity:0;") && drawn.contains("stroke:none")) {
      return;
    }
    markers.append('<').append(shape.getTagName());
    for (int i = 0; i < shape.getAttributes().getLength(); i++) {
      Node attribute = shape.getAttributes().item(i);
      String value =
          attribute.getNodeName().equals("style") ? drawn : rounded(attribute.getNodeValue());
      markers.append(' ').append(attribute.getNodeName()).append("=\"");
      markers.append(Html.escape(value)).append('"');
    }
    markers.append("/>");
  }

  private static String number(Element element, String attribute) {
    return rounded(element.getAttribute(attribute));
  }

  private static String style(Element element) {
    return rounded(element.getAttribute("style"))
        .replace("stroke-miterlimit:10;", "")
        .replace("stroke-linecap:butt;", "");
  }

  /** With one decimal: a tenth of a unit is less than anybody sees. */
  private static String rounded(String text) {
    Matcher matcher = DECIMALS.matcher(text);
    return matcher.replaceAll(
        found -> Words.format("%.1f", Double.parseDouble(found.group())).replaceFirst("\\.0$", ""));
  }
}
