import type { Room } from './sources.ts';

/**
 * The floors of each room, from the ground up: the folders directly below it. A file imports only from its own folder
 * and from the floors below it, types included. A room that is not listed has no floors.
 */
export const floors: Partial<Record<Room, readonly (readonly string[])[]>> = {
  server: [
    ['process'],
    ['errors', 'outbound', 'authored', 'pages'],
    ['files', 'rates', 'requests'],
    ['adapters', 'secrets'],
    ['storage'],
    ['file-store'],
    ['config', 'apps', 'models', 'connections', 'idempotency'],
    ['sandbox', 'documents', 'http', 'log', 'knowledge', 'questions'],
    ['flows'],
    ['history', 'security'],
    ['peers'],
    ['telemetry', 'watching', 'answers', 'awel'],
    ['runs', 'state'],
    ['starts', 'usage'],
    ['durable', 'chat', 'flow-tests'],
    ['after-runs', 'agents', 'evaluations', 'schedules', 'sources', 'waits'],
    ['backup', 'control', 'mcp', 'triggers'],
    ['forms', 'processes'],
    ['routes'],
    ['cli'],
    // The files that compose and start the server and the command line are directly in the room.
    ['.'],
    // Makes the npm package; nothing imports it.
    ['package'],
  ],
  engine: [
    ['base'],
    ['catalog', 'expr', 'foreign', 'operators'],
    ['flow', 'code-first'],
    ['types', 'plan'],
    ['check', 'run'],
    ['partial'],
    ['replay'],
    // The entry points are directly in the room.
    ['.'],
  ],
  editor: [
    ['model', 'docs'],
    ['api', 'ui'],
    ['state', 'form'],
    ['commands'],
    ['session'],
    ['evaluations'],
    [
      'apps',
      'waits',
      'chat',
      'connections',
      'flows',
      'timeline',
      'keys',
      'knowledge',
      'packages',
      'nodes',
      'palette',
      'problems',
      'secrets',
      'versions',
    ],
    ['canvas', 'runs', 'providers', 'tests', 'triggers'],
    ['history', 'inspector'],
    ['app'],
    ['.'],
  ],
};
