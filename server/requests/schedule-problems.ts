import type { Locate } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { schedulesOf, timesOf } from './schedule-spec.ts';

/** Schedules that no time can be read from. The browser's check cannot tell. */
export function scheduleProblems(flow: Flow, locate: Locate): Problem[] {
  return [...schedulesOf(flow)].flatMap(([node, spec]) => {
    try {
      timesOf(spec);
      return [];
    } catch (error) {
      const { message } = error as Error;
      const name = message.startsWith('There is no time zone') ? 'timezone' : 'cron';
      const place = { node, field: `params.${name}`, ...locate(['nodes', node, 'params', name]) };
      return [{ code: 'bad-param', severity: 'error', message, ...place } as const];
    }
  });
}
