import { lackingGrant } from '#shared/secret.ts';
import { type CheckContext, didYouMean, type NodeView } from '../../flow/context.ts';
import type { Path } from '../../flow/field-path.ts';
import { secretReference, visitParams } from '../../flow/param-values.ts';
import { HTTP_TRIGGER } from './triggers.ts';

/** References to secrets: well formed, to an existing secret, and granted to the node as far as that is known before a run. */
export function checkSecrets(context: CheckContext): void {
  for (const view of context.nodes.values()) {
    visitParams(view.node.params, view.info, ({ path, value }) => {
      const reference = secretReference(value);
      if (!reference) return;
      if (typeof reference.name === 'string') checkReference(context, view, path, reference.name);
      else {
        const message = 'A reference to a secret is written { "$secret": "name" }.';
        context.report({ code: 'bad-param', message, node: view.id, path });
      }
    });
  }
}

function checkReference(context: CheckContext, view: NodeView, path: Path, name: string): void {
  const { world, nearest, report } = context;
  if (world.secrets && !world.secrets.includes(name)) {
    const message = `There is no secret \`${name}\`.${didYouMean(nearest(name, world.secrets))}`;
    report({ code: 'unknown-secret', message, node: view.id, path });
    return;
  }
  const lack = lackOf(context, view, name);
  if (lack === undefined) return;
  report({
    code: 'secret-not-granted',
    severity: 'warning',
    message: `The secret \`${name}\` is not granted ${lack}; its grants can be changed in the server's secrets.`,
    node: view.id,
    path,
  });
}

function lackOf({ flow, world }: CheckContext, { node }: NodeView, name: string): string | undefined {
  const grants = world.grants && Object.hasOwn(world.grants, name) ? world.grants[name] : undefined;
  if (grants === undefined) return undefined;
  // A trigger only compares with the secret and sends it nowhere.
  if (node.operator === HTTP_TRIGGER) return lackingGrant(grants, { flow: flow.id, operator: HTTP_TRIGGER });
  const origin = constantOrigin(node.params?.['url']);
  // The destination may only be known in a run, which then checks the hosts.
  const { hosts: _, ...others } = grants;
  const known = origin === undefined && grants.hosts !== undefined ? { flows: [flow.id], ...others } : grants;
  return lackingGrant(known, { flow: flow.id, operator: node.operator, origin });
}

function constantOrigin(url: unknown): string | undefined {
  return typeof url === 'string'
    ? /^(https?:\/\/[a-z0-9.-]+(?::\d+)?)(?:[/?#]|$)/i.exec(url)?.[1]
    : undefined;
}
