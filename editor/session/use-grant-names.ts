import { useQuery } from '@tanstack/react-query';
import type { GrantNames } from '#shared/connection-labels.ts';
import { catalogQuery } from './open-flow.ts';
import { useFlowNames } from './use-flow-names.ts';

/** The names of the flows and operators that something is granted to; their ids until the names are loaded. */
export function useGrantNames(): GrantNames {
  const flow = useFlowNames();
  const { data: catalog } = useQuery(catalogQuery);
  return { flow, operator: (type) => catalog?.operators[type]?.title ?? type };
}
