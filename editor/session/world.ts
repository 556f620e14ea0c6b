import type { FlowSummary, SecretInfo, Variable } from '#shared/api.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import { normalisePath } from '#engine/check';
import type { EditorWorld } from '../model/editor-world.ts';

/** What the checks and previews of a flow need from the rest of the server. */
export function worldOf(
  flows: readonly FlowSummary[],
  variables: readonly Variable[],
  secrets: readonly SecretInfo[],
  connections: readonly ConnectionInfo[],
): EditorWorld {
  const live = flows.filter((flow) => flow.version !== undefined);
  return {
    routes: live.flatMap((flow) =>
      flow.triggers.flatMap(({ path, methods }) =>
        path === undefined
          ? []
          : [
              {
                flow: flow.id,
                path: normalisePath(path),
                methods: (methods ?? []).map((m) => m.toUpperCase()),
              },
            ],
      ),
    ),
    variables: variables.map(({ name }) => name),
    values: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    secrets: secrets.map(({ name }) => name),
    grants: Object.fromEntries(secrets.map(({ name, grants }) => [name, grants])),
    connections: Object.fromEntries(connections.map(({ name, kind, grants }) => [name, { kind, ...grants }])),
    flows: live.map(({ id, triggers, calls, schemas }) => ({
      id,
      triggers: triggers.map(({ node }) => node),
      calls,
      schemas,
    })),
  };
}
