import type { App } from '#shared/app.ts';

/** Who answers in an app, in words. */
export const MODES: readonly {
  readonly value: App['team_mode'];
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'single_agent', label: 'One agent', hint: 'It answers with its instructions and tools.' },
  {
    value: 'auto_plan',
    label: 'A team with a plan',
    hint: 'A planner splits the question into steps, gives each to an agent, and reports.',
  },
  { value: 'awel_layout', label: 'A flow', hint: 'The published version of the flow answers.' },
];

export function modeName(mode: App['team_mode']): string {
  return MODES.find(({ value }) => value === mode)?.label ?? mode;
}
