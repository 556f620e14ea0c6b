import type { RunSummary } from '#shared/run-event.ts';

/** How a run was started, in words. */
export const SOURCE_LABELS: Readonly<Record<RunSummary['source'], string>> = {
  http: 'HTTP call',
  chat: 'chat',
  form: 'form',
  source: 'source',
  schedule: 'schedule',
  mcp: 'MCP client',
  test: 'draft',
  manual: 'editor',
  cli: 'command line',
  dev: 'weft dev',
  flow: 'another flow',
  failure: 'failed run',
  knowledge: 'document',
};

const MISSING: Readonly<Record<string, string>> = {
  'not-recorded': 'Only a summary of this run was recorded, so its nodes show nothing.',
  'over-limit': 'This run had more events than are stored; some are missing.',
  'not-watched': 'Some of what this run did was not recorded.',
  'not-readable': 'The events of this run can no longer be read.',
};

/** Why events of a run are missing. */
export function missingText(reason: string): string {
  return MISSING[reason] ?? `Some events of this run are missing (${reason}).`;
}
