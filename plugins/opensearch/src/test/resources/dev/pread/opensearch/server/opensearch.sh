#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts the server in the foreground, as a distribution's script of this name does: with OPENSEARCH_JAVA_HOME,
# OPENSEARCH_JAVA_OPTS, OPENSEARCH_PATH_CONF and OPENSEARCH_TMPDIR, settings as -Ename=value, and the options that
# the launcher reads from jvm.options and jvm.options.d.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
java="${OPENSEARCH_JAVA_HOME:-$JAVA_HOME}/bin/java"
config="${OPENSEARCH_PATH_CONF:-$home/config}"
export OPENSEARCH_TMPDIR="${OPENSEARCH_TMPDIR:-$home/tmp}"
agent=$(ls "$home"/agent/opensearch-agent-[0-9]*.jar 2>/dev/null || true)
options=$("$java" -Xshare:auto -cp "$home/lib/*" org.opensearch.tools.launchers.JvmOptionsParser "$config")
# The options are words, to be taken apart.
# shellcheck disable=SC2086
exec "$java" ${agent:+"-javaagent:$agent"} $options \
  -Dopensearch.path.home="$home" -Dopensearch.path.conf="$config" \
  -cp "$home/lib/*" org.opensearch.bootstrap.OpenSearch "$@"
