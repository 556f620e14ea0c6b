import type { ErrorCode } from './errors.ts';

/**
 * The codes that the table marks as transient. Beside the table, whose texts are a third of what an error costs the editor to
 * load; `errors.test.ts` holds the two together.
 */
export const transientCodes: ReadonlySet<string> = new Set([
  'request_timeout',
  'too_many_connections',
  'rate_limited',
  'storage_failed',
  'disk_low',
  'overloaded',
  'draining',
  'node_timeout',
  'node_failed',
  'outbound_failed',
  'outbound_timeout',
  'outbound_busy',
  'proxy_failed',
  'connection_failed',
  'connection_busy',
  'connection_limited',
  'action_timeout',
  'sql_timeout',
  'sql_conflict',
  'source_ended',
  'code_crashed',
  'code_unavailable',
  'model_rate_limited',
  'model_unavailable',
  'model_timeout',
  'hook_not_ready',
  'model_bad_answer',
] satisfies ErrorCode[]);
