import type { NodeInfo } from '#shared/node.ts';
import { call } from './client.ts';

const schemas = () => import('./service-schemas.ts');

/** The servers that share the database with this one. */
export const listNodes = (): Promise<NodeInfo[]> =>
  call(async () => (await schemas()).Nodes, 'GET', '/api/v1/nodes');
