import { queryOptions } from '@tanstack/react-query';
import { listKinds } from '../api/connections.ts';
import { listConnections } from '../api/flows.ts';

export const connectionsQuery = queryOptions({ queryKey: ['connections'], queryFn: listConnections });

/** They change only with the server. */
export const kindsQuery = queryOptions({
  queryKey: ['connection-kinds'],
  queryFn: listKinds,
  staleTime: Number.POSITIVE_INFINITY,
});
