import type { TriggerTable } from '../flows/trigger-table.ts';

/** The table, which also reports each flow whose live version changes: that is when its routes are replaced. */
export function watchedTable(table: TriggerTable, onChange: (flow: string) => void): TriggerTable {
  return {
    conflict: (flow, routes) => table.conflict(flow, routes),
    find: (method, path) => table.find(method, path),
    methodsAt: (path) => table.methodsAt(path),
    all: () => table.all(),
    setAside: (flow, aside) => table.setAside(flow, aside),
    aside: () => table.aside(),
    asideAt: (path) => table.asideAt(path),
    replace(flow, routes) {
      table.replace(flow, routes);
      onChange(flow);
    },
  };
}
