import type { WaitRow, WaitRows } from '../wait-rows.ts';

/** Rows that are lost with the process, for tests and for the command line. */
export function memoryRows(): WaitRows {
  const rows = new Map<string, WaitRow>();
  const all = (): WaitRow[] => [...rows.values()].sort((a, b) => a.openedAt - b.openedAt);
  return {
    get: (id) => rows.get(id),
    put: (row) => void rows.set(row.id, row),
    list: ({ status, flow, run, limit }) =>
      all()
        .filter((row) => row.status === status && [row.flow, undefined].includes(flow))
        .filter((row) => [row.run, undefined].includes(run))
        .slice(0, limit + 1),
    ofRun: (run) => all().filter((row) => row.run === run),
    untold: () => all().filter(({ notify }) => notify === 'due'),
    expire(now) {
      const late = all().filter(
        ({ status, until }) => status === 'open' && until !== undefined && until <= now,
      );
      for (const row of late) rows.set(row.id, { ...row, status: 'expired' });
    },
    sweep(before) {
      for (const { id, overAt } of all()) if (overAt !== undefined && overAt < before) rows.delete(id);
    },
    forget(run) {
      for (const row of all()) if (row.run === run) rows.delete(row.id);
    },
    atomically: (work) => work(),
  };
}
