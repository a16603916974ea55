#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts the server in the foreground, as a distribution's script of this name does: with OPENSEARCH_JAVA_HOME,
# OPENSEARCH_JAVA_OPTS, OPENSEARCH_PATH_CONF and OPENSEARCH_TMPDIR, and settings as -Ename=value.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
agent=$(ls "$home"/agent/opensearch-agent-[0-9]*.jar 2>/dev/null || true)
# The options are words, to be taken apart.
# shellcheck disable=SC2086
exec "${OPENSEARCH_JAVA_HOME:-$JAVA_HOME}/bin/java" ${agent:+"-javaagent:$agent"} \
  --add-modules=jdk.incubator.vector \
  -Djava.io.tmpdir="${OPENSEARCH_TMPDIR:-$home/tmp}" \
  ${OPENSEARCH_JAVA_OPTS:-} \
  -Dopensearch.path.home="$home" -Dopensearch.path.conf="${OPENSEARCH_PATH_CONF:-$home/config}" \
  -cp "$home/lib/*" org.opensearch.bootstrap.OpenSearch "$@"
