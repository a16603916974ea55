/* SPDX-License-Identifier: Apache-2.0 */
package org.elasticsearch.plugins;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.Build;
import org.elasticsearch.env.Environment;

/** Plugins that are on the class path, instead of in folders with a descriptor. */
public final class ClassPathPlugins extends PluginsService {

  private final List<LoadedPlugin> plugins;

  /**
   * @param plugins instances that no other node has
   */
  public ClassPathPlugins(Environment environment, Collection<Plugin> plugins) {
    super(
        environment.settings(),
        environment.configDir(),
        new PluginsLoader(Set.of(), Set.of(), Map.of()));
    this.plugins = plugins.stream().map(ClassPathPlugins::loaded).toList();
  }

  private static LoadedPlugin loaded(Plugin plugin) {
    String name = plugin.getClass().getName();
    String descriptor =
        """
        name=$name
        description=on the class path
        version=0
        elasticsearch.version=$version
        java.version=21
        classname=$name
        """
            .replace("$name", name)
            .replace("$version", Build.current().version());
    try {
      return new LoadedPlugin(
          PluginDescriptor.readInternalDescriptorFromStream(
              new ByteArrayInputStream(descriptor.getBytes(StandardCharsets.ISO_8859_1))),
          plugin,
          plugin.getClass().getClassLoader());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected List<LoadedPlugin> plugins() {
    return plugins;
  }
}
