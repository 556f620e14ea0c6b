import type { App } from './app.ts';

/** Types of resources that agents can use on this server. */
export const usableTypes = ['flow', 'awel_flow', 'http', 'mcp', 'tool', 'knowledge', 'database'] as const;

/** What an app names that its agents cannot use. Reported on save, because a run only tells the model. */
export function appWarnings({ details }: Pick<App, 'details'>): string[] {
  const usable: readonly string[] = usableTypes;
  return details.flatMap(({ agent_name, resources }) =>
    resources
      .filter(({ type }) => !usable.includes(type))
      .map(
        ({ type, name }) =>
          `${agent_name} cannot use ${name || 'a resource'} yet: resources of the type ${type} are stored, but only ${usable.join(', ')} can be used here.`,
      ),
  );
}
