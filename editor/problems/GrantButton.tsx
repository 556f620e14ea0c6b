import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Problem } from '#shared/problem.ts';
import { grantFor } from '#shared/secret.ts';
import { parsePath } from '#engine/check';
import { ApiError } from '../api/client.ts';
import { saveConnection } from '../api/connections.ts';
import { listConnections, listSecrets, saveSecret } from '../api/flows.ts';
import { valueAt } from '../form/form-model.ts';
import { nodeIn } from '../model/document/flat.ts';
import { connectionGrantsWith, type GrantWish, secretGrantsWith } from '../model/grant-wish.ts';
import { recordOf } from '../model/form/schema-shapes.ts';
import { useEditor } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { toast } from '../ui/toast.ts';

/** Problems that a grant mends, which is no change of the flow. */
export function isGrantable({ code, node, field }: Problem): boolean {
  return (code === 'secret-not-granted' || code === 'connection-not-granted') && !!node && !!field;
}

/** Grants a secret or a connection to the node that lacks it, if whoever asks may; otherwise it says whom to ask. */
export function GrantButton({ problem: { code, node = '', field = '' } }: { problem: Problem }) {
  const queries = useQueryClient();
  const flow = useEditor((state) => state.doc.flow.id);
  const found = useEditor((state) => nodeIn(state.doc.flow, node));
  const value = valueAt(found, parsePath(field) ?? []);
  const name = String(recordOf(value)?.['$secret'] ?? value);
  const origin = originOf(found?.params?.['url']);
  const wish: GrantWish = { flow, operator: found?.operator ?? '', origin };
  const grant = useMutation({
    mutationFn: () => (code === 'secret-not-granted' ? grantSecret(name, wish) : grantConnection(name, wish)),
    onSuccess: async () => {
      for (const key of ['secrets', 'connections', 'world'])
        await queries.invalidateQueries({ queryKey: [key] });
    },
    onError: (error) => toast(refusalOf(error, name), { kind: 'error' }),
  });
  const to = code === 'secret-not-granted' && origin !== undefined ? grantFor(origin) : 'this flow';
  return (
    <Button size="sm" busy={grant.isPending} onClick={() => grant.mutate()}>
      Allow {to}
    </Button>
  );
}

function originOf(url: unknown): string | undefined {
  return typeof url === 'string'
    ? /^(https?:\/\/[a-z0-9.-]+(?::\d+)?)(?:[/?#]|$)/i.exec(url)?.[1]
    : undefined;
}

async function grantSecret(name: string, wish: GrantWish): Promise<unknown> {
  const known = (await listSecrets()).find((one) => one.name === name);
  return saveSecret(name, { grants: secretGrantsWith(known?.grants ?? {}, wish) });
}

/** Hidden settings stay as they are. */
async function grantConnection(name: string, wish: GrantWish): Promise<unknown> {
  const known = (await listConnections()).find((one) => one.name === name);
  if (!known) throw new Error(`There is no connection ${name} any more.`);
  const { kind, settings, grants } = known;
  return saveConnection(name, { kind, settings, grants: connectionGrantsWith(grants ?? {}, wish) });
}

function refusalOf(error: Error, name: string): string {
  const isRefused = error instanceof ApiError && error.code === 'forbidden';
  return isRefused ? `Only an administrator can allow the use of ${name}. Ask one of them.` : error.message;
}
