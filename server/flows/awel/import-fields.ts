import type { Flow } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import type { AwelFlow } from './awel-flow.ts';

type Fields = Partial<Flow>;

/**
 * Name, description and all other fields of the flow file: from `weft`, from the current flow, or from DB-GPT's
 * fields.
 */
export function flowFields(awel: AwelFlow, id: string, before: Flow | undefined): Fields {
  const {
    name: keptName,
    description: keptText,
    ...rest
  } = ownFields(awel) ?? fieldsOf(before) ?? originFields(awel);
  const name = nameOf(awel, id, keptName);
  const description = descriptionOf(awel, keptText);
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...rest,
  };
}

/** DB-GPT shows a flow without a name by its id, which then does not count as a name. */
function nameOf({ label, name, uid }: AwelFlow, id: string, kept: string | undefined): string | undefined {
  const shown = label ?? name ?? undefined;
  if (shown === undefined || shown === (kept ?? uid ?? id)) return kept;
  return (shown || name || id).slice(0, 200);
}

function descriptionOf({ description }: AwelFlow, kept: string | undefined): string | undefined {
  if ((description ?? undefined) === kept) return kept;
  return description ? description.slice(0, 10_000) : undefined;
}

function ownFields({ weft }: AwelFlow): Fields | undefined {
  if (!isRecord(weft) || !isRecord(weft['flow'])) return undefined;
  return fieldsOf(weft['flow']);
}

function fieldsOf(flow: Readonly<Record<string, unknown>> | undefined): Fields | undefined {
  if (!flow) return undefined;
  const { format: _format, id: _id, nodes: _nodes, edges: _edges, ...rest } = flow;
  return rest;
}

/** The identifiers by which clients of DB-GPT know the flow. */
function originFields({ uid, user_name, sys_code }: AwelFlow): Fields {
  const texts = Object.entries({ uid, user_name, sys_code }).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  return texts.length > 0 ? { awel: Object.fromEntries(texts) } : {};
}
