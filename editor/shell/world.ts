import type { FlowSummary, SecretInfo, Variable } from '#shared/api.ts';
import { normalisePath, type World } from '#engine/check';

/** What the checks of a flow need to know of the rest of the server. */
export function worldOf(
  flows: readonly FlowSummary[],
  variables: readonly Variable[],
  secrets: readonly SecretInfo[],
): World {
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
    secrets: secrets.map(({ name }) => name),
    grants: Object.fromEntries(secrets.map(({ name, grants }) => [name, grants])),
  };
}
