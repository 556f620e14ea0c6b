import type {
  ConnectionBody,
  ConnectionName,
  ConnectionInfo,
  ConnectionKind,
  ConnectionTables,
  ConnectionTest,
  FileStoreName,
  FolderPath,
} from '#shared/connection.ts';
import type { DescribeBody, Described } from '#shared/described.ts';
import type { SignInProgress, SignInProviders, StartedSignIn } from '#shared/sign-in.ts';
import { call } from './client.ts';

/** Connections, and the named things behind them. */
const CONNECTIONS = '/api/v1/connections';
const schemas = () => import('./service-schemas.ts');
const at = (name: string): string => `${CONNECTIONS}/${encodeURIComponent(name)}`;

export const listKinds = (): Promise<ConnectionKind[]> =>
  call(async () => (await schemas()).ConnectionKinds, 'GET', `${CONNECTIONS}/kinds`);

export const saveConnection = (name: string, body: ConnectionBody): Promise<ConnectionInfo> =>
  call(async () => (await schemas()).ConnectionInfo, 'PUT', at(name), { body });

export const removeConnection = (name: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', at(name));

export const testConnection = (name: string): Promise<ConnectionTest> =>
  call(async () => (await schemas()).ConnectionTest, 'POST', `${at(name)}/test`);

export const listTables = (name: string): Promise<ConnectionTables> =>
  call(async () => (await schemas()).ConnectionTables, 'GET', `${at(name)}/tables`);

/** The mailboxes behind a connection. */
export const listMailboxes = async (name: string): Promise<readonly ConnectionName[]> =>
  (await call(async () => (await schemas()).ConnectionNames, 'GET', `${at(name)}/names?of=mailbox`)).names;

export const makeMailbox = (connection: string, name: string): Promise<ConnectionName> =>
  call(async () => (await schemas()).ConnectionName, 'POST', `${at(connection)}/names`, {
    body: { of: 'mailbox', name },
  });

/** The services that a connection by OAuth2 may sign in to. */
export const listSignInProviders = (): Promise<SignInProviders> =>
  call(async () => (await schemas()).SignInProviders, 'GET', `${CONNECTIONS}/providers`);

export const startSignIn = (name: string): Promise<StartedSignIn> =>
  call(async () => (await schemas()).StartedSignIn, 'POST', `${at(name)}/sign-ins`);

export const signInProgress = (name: string, id: string): Promise<SignInProgress> =>
  call(async () => (await schemas()).SignInProgress, 'GET', `${at(name)}/sign-ins/${encodeURIComponent(id)}`);

/** The folders that a node for files may name. */
export const listFolders = (): Promise<FileStoreName[]> =>
  call(async () => (await schemas()).Folders, 'GET', '/api/v1/folders');

/** The content of a folder of the server. */
export const listFolder = (name: string): Promise<FolderPath[]> =>
  call(async () => (await schemas()).FolderPaths, 'GET', `/api/v1/folders/${encodeURIComponent(name)}/files`);

/** The folders in which a connection may open a file. */
export const listDatabaseFolders = (): Promise<FileStoreName[]> =>
  call(async () => (await schemas()).Folders, 'GET', '/api/v1/folders?for=databases');

/** The database's description of a statement, which is not executed. */
export const describeStatement = (name: string, body: DescribeBody): Promise<Described> =>
  call(async () => (await schemas()).Described, 'POST', `${at(name)}/describe`, { body });
