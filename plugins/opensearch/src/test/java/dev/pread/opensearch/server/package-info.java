/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Real servers of OpenSearch, put together from the artifacts of a repository and run in processes
 * of their own. It knows nothing of tests.
 */
package dev.pread.opensearch.server;
