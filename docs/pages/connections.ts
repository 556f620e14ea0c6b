import { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import { isHidden } from '#shared/json-schema.ts';
import type { HarmlessChanges, KindUse } from '#shared/connection.ts';
import type { Kind } from '../../server/integrations/connections/kind.ts';
import { type Field, fieldsOf } from './json-schema.ts';
import { code, page, table } from './markdown.ts';

const USES: Readonly<Record<KindUse, string>> = {
  sql: 'nodes for databases (`sql.*`)',
  files: 'nodes for files (`file.*`)',
  http: '`http.request`',
  actions: 'nodes of its own',
};

/** All kinds of connections with their settings, from the objects that describe them. */
export function connectionsPage(kinds: readonly Kind[], operators: readonly OperatorInfo[]): string {
  return page(
    '# Kinds of connections',
    '[connections.md](../connections.md) explains connections and how to make one, [connection-kinds.md](../connection-kinds.md) how to add a kind.',
    table(
      ['kind', 'title', 'for', 'what it is'],
      kinds.map(({ name, title, use, doc }) => [
        `[${code(name)}](#${name})`,
        title,
        usedBy(name, use, operators),
        doc,
      ]),
    ),
    ...kinds.flatMap(kindParts),
  );
}

function usedBy(name: string, use: KindUse, operators: readonly OperatorInfo[]): string {
  if (use !== 'actions') return USES[use];
  const own = operators.filter(({ params }) => connectsTo(params as JsonSchema).includes(name));
  return own
    .map(({ type, group }) => `[${code(type)}](operators/${group}.md#${type.replace('.', '')})`)
    .join(', ');
}

/** The kinds of connections that the param for one allows. */
function connectsTo(params: JsonSchema): readonly string[] {
  const { connection } = (params['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return (connection?.['kinds'] as readonly string[] | undefined) ?? [];
}

function kindParts(kind: Kind): string[] {
  const schema = z.toJSONSchema(kind.settings, { io: 'input' }) as JsonSchema;
  const properties = schema['properties'] as Record<string, JsonSchema>;
  const hidden = Object.keys(properties).filter((name) => isHidden(properties[name] as JsonSchema));
  const rows = fieldsOf(schema).map((field) => [
    code(field.path),
    field.type,
    field.required ? 'required' : field.defaultValue,
    `${field.doc}${hidden.includes(field.path) ? ' Hidden.' : ''}`,
  ]);
  return [
    `## ${kind.name}`,
    `**${kind.title}.** ${kind.doc}`,
    table(['setting', 'type', 'default', 'meaning'], rows),
    hidden.length === 0 ? '' : keptText(hidden, kind.harmless),
    kind.use === 'actions' ? actionsText(kind.actions) : '',
  ];
}

function keptText(hidden: readonly string[], harmless: HarmlessChanges): string {
  const changes = Object.entries(harmless).map(([name, rule]) => {
    if (rule === 'any') return code(name);
    return rule === 'same-origin' ? `${code(name)} on the same origin` : `a stronger ${code(name)}`;
  });
  return `${hidden.map(code).join(', ')} must be given again when a setting changes, except: ${changes.join(', ')}.`;
}

function actionsText(actions: Extract<Kind, { use: 'actions' }>['actions']): string {
  const rows = Object.entries(actions).map(([name, { takes, isRead }]) => [
    code(name),
    fieldsOf(z.toJSONSchema(takes, { io: 'input' }) as JsonSchema)
      .map(givenText)
      .join('; '),
    isRead ? 'reads' : 'writes',
  ]);
  return `Operators of packages ask for its actions by \`service('connections')\`:\n\n${table(['action', 'takes', ''], rows)}`;
}

function givenText({ path, type, required }: Field): string {
  return `${code(path)}${required ? '' : ' (optional)'}: ${type}`;
}
