import { z } from 'zod';
import { NodeCache, NodeEach, Retry } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import { type FormField, settingFields } from '../model/form/schema-form.ts';

/** Fields that every node has, as schemas, so that they look and behave like the params. */
const node: JsonSchema = {
  type: 'object',
  properties: {
    description: {
      type: 'string',
      widget: 'textarea',
      maxLength: 10_000,
      description: 'A note for readers of the flow.',
    },
    disabled: {
      type: 'boolean',
      default: false,
      description:
        'A disabled node passes its value on where it can; otherwise the nodes after it are skipped.',
    },
    onError: {
      type: 'string',
      enum: ['fail', 'continue', 'route'],
      default: 'fail',
      title: 'When it fails',
    },
    timeoutMs: {
      type: 'number',
      minimum: 1,
      maximum: 86_400_000,
      title: 'Time limit',
      description: 'Of one attempt.',
    },
  },
};

const flow: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', maxLength: 200 },
    description: { type: 'string', title: 'Description', widget: 'textarea', maxLength: 10_000 },
  },
};

const settings: JsonSchema = {
  type: 'object',
  properties: {
    timeoutMs: {
      type: 'number',
      minimum: 1,
      maximum: 86_400_000,
      title: 'Time limit of a run',
      description: 'A run that takes longer is stopped.',
    },
    concurrency: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 64,
      title: 'Parallel nodes',
      description: 'How many nodes may wait for something at the same time; 1 runs them one after the other.',
    },
    maxStreamBuffer: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      title: 'Stream buffer (items)',
      description:
        'How far readers of one stream may be apart, if they wait for each other, before the run fails.',
    },
    record: {
      type: 'string',
      enum: ['default', 'full', 'summary', 'off'],
      default: 'default',
      title: 'Save run data',
      description: 'Full keeps all values, summary only the outcome; default is the server’s setting.',
    },
    onDisconnect: {
      type: 'string',
      enum: ['cancel', 'continue'],
      title: 'When the caller disconnects',
      description: 'By default, GET requests are cancelled and others continue.',
    },
    durable: {
      type: 'boolean',
      title: 'Survives restarts',
      description: 'By default, on if nobody waits for the answer or people are asked.',
    },
    maxRuns: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      title: 'Maximum runs at once',
      description: 'For the flow, or for each value of the key below.',
    },
    maxRunsKey: {
      type: 'string',
      title: 'Key that groups runs',
      description: 'Such as {{ trigger.body.customer }}',
    },
    whenFull: { type: 'string', enum: ['queue', 'reject'], title: 'When there are too many' },
    timezone: {
      type: 'string',
      widget: 'timezone',
      title: 'Time zone of dates',
      description: 'Expressions read and write times in it. By default, that of the server.',
    },
    onFailure: { type: 'string', title: 'Flow to start when a run fails' },
    mcp: {
      type: 'boolean',
      default: true,
      title: 'Tool for MCP clients',
      description: 'Whether /mcp offers the flow as a tool.',
    },
    mcpGroups: {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
      maxItems: 20,
      title: 'Groups of MCP tools',
      description: '/mcp/<group> offers only the flows of that group.',
    },
  },
};

export const flowFields = settingFields(flow);
export const settingsFields = settingFields(settings);
const CACHE_TITLES: Readonly<Record<string, string>> = {
  ttlMs: 'For how long',
  key: 'Key',
  keep: 'Kept in',
};
const EACH_TITLES: Readonly<Record<string, string>> = {
  items: 'List',
  concurrency: 'Items at once',
  onItemError: 'When an item fails',
  maxItems: 'Maximum items',
};
export const cacheFields = titled(NodeCache, CACHE_TITLES);
export const eachFields = titled(NodeEach, EACH_TITLES);
export const retryFields = settingFields(z.toJSONSchema(Retry, { io: 'input' }));

const nodeFields = new Map(settingFields(node).map((field) => [field.name, field]));

export function nodeField(name: 'description' | 'disabled' | 'onError' | 'timeoutMs'): FormField {
  return nodeFields.get(name) as FormField;
}

function titled(schema: z.ZodType, titles: Readonly<Record<string, string>>): FormField[] {
  const fields = settingFields(z.toJSONSchema(schema, { io: 'input' }));
  return fields.map((field) => ({ ...field, title: titles[field.name] ?? field.title }));
}
