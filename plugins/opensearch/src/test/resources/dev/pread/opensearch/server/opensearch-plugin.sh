#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs and removes plugins, as a distribution's script of this name does: with OPENSEARCH_JAVA_HOME and OPENSEARCH_PATH_CONF.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
cli=org.opensearch.tools.cli.plugin.PluginCli
if ls "$home"/lib/opensearch-core-2.*.jar >/dev/null 2>&1; then
  cli=org.opensearch.plugins.PluginCli
fi
exec "${OPENSEARCH_JAVA_HOME:-$JAVA_HOME}/bin/java" -Xmx128m \
  -Dopensearch.path.home="$home" -Dopensearch.path.conf="${OPENSEARCH_PATH_CONF:-$home/config}" -Dopensearch.distribution.type=tar \
  -cp "$home/lib/*:$home/lib/tools/plugin-cli/*" "$cli" "$@"
