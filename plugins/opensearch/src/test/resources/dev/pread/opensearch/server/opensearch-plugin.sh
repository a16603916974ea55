#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs and removes plugins, as a distribution's script of this name does: with OPENSEARCH_JAVA_HOME and OPENSEARCH_PATH_CONF.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
exec "${OPENSEARCH_JAVA_HOME:-$JAVA_HOME}/bin/java" -Xmx128m \
  -Dopensearch.path.home="$home" -Dopensearch.path.conf="${OPENSEARCH_PATH_CONF:-$home/config}" -Dopensearch.distribution.type=tar \
  -cp "$home/lib/*:$home/lib/tools/plugin-cli/*" org.opensearch.tools.cli.plugin.PluginCli "$@"
