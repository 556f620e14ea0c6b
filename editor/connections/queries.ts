import { queryOptions } from '@tanstack/react-query';
import { listDatabaseFolders, listKinds, listSignInProviders } from '../api/connections.ts';
import { listConnections } from '../api/flows.ts';

export const connectionsQuery = queryOptions({ queryKey: ['connections'], queryFn: listConnections });

/** The folders of the server in which a connection may open a file, by their names. */
export const serverFoldersQuery = queryOptions({
  queryKey: ['folders', 'databases'],
  queryFn: listDatabaseFolders,
  select: (all) => all.map(({ name }) => name),
});

/** They change only with the server. */
export const signInProvidersQuery = queryOptions({
  queryKey: ['sign-in-providers'],
  queryFn: listSignInProviders,
  staleTime: Number.POSITIVE_INFINITY,
});

/** They change only with the server. */
export const kindsQuery = queryOptions({
  queryKey: ['connection-kinds'],
  queryFn: listKinds,
  staleTime: Number.POSITIVE_INFINITY,
});
