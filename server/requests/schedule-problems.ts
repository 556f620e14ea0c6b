import type { Locate } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { schedulesOf, timesOf } from './schedule-spec.ts';

/** Problems of schedules with an invalid pattern or time zone. The browser's check cannot find them. */
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
