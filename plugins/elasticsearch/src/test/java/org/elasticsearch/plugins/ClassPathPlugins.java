/* SPDX-License-Identifier: Apache-2.0 */
package org.elasticsearch.plugins;

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
    PluginDescriptor descriptor =
        new PluginDescriptor(
            name,
            "on the class path",
            "0",
            Build.current().version(),
            "21",
            name,
            null,
            List.of(),
            false,
            false,
            false,
            false,
            PluginDescriptor.DeploymentTarget.ALL);
    return new LoadedPlugin(descriptor, plugin, plugin.getClass().getClassLoader());
  }

  @Override
  protected List<LoadedPlugin> plugins() {
    return plugins;
  }
}
