/**
 * The floors of each room and wing, from the ground up: the folders directly below it. A file imports only from its own folder
 * and from the floors below it, types included. A folder that is not listed has no floors.
 */
export const floors: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // The wings; `server/README.md` is the tour.
  server: [
    // `packages` are npm packages of ours: nothing here imports them, and they import nothing from here.
    ['base', 'packages'],
    ['storage'],
    ['integrations', 'access'],
    ['flows'],
    ['execution'],
    ['chat'],
    ['api'],
    ['admin', 'start'],
    // The programs that start are directly in the room.
    ['.'],
  ],
  'server/base': [
    ['process', 'parts'],
    ['errors', 'outbound', 'authored', 'pages'],
    ['files', 'rates', 'requests'],
    ['adapters', 'secrets'],
    ['config'],
    ['log'],
    ['.'],
  ],
  'server/storage': [['database'], ['file-store', 'idempotency'], ['.']],
  'server/integrations': [
    ['connections', 'documents', 'knowledge', 'sandbox'],
    ['models', 'questions', 'shop'],
    ['.'],
  ],
  'server/access': [['http'], ['security'], ['answers', 'peers'], ['.']],
  'server/flows': [['service'], ['awel', 'templates'], ['.']],
  'server/execution': [
    ['history', 'state'],
    ['telemetry', 'watching'],
    ['runs'],
    ['starts', 'usage'],
    ['durable', 'flow-tests'],
    ['after-runs', 'evaluations', 'schedules', 'sources', 'waits'],
    ['.'],
  ],
  'server/chat': [['apps'], ['service'], ['agents'], ['.']],
  'server/api': [['triggers', 'mcp'], ['forms', 'processes'], ['routes']],
  'server/admin': [
    ['backup', 'control', 'editor-build'],
    ['cli', 'package'],
  ],
  engine: [
    ['base'],
    ['catalog', 'expr', 'foreign', 'operators'],
    ['flow', 'code-first'],
    ['types', 'plan'],
    ['reshape'],
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
    ['evaluations', 'waits'],
    [
      'apps',
      'chat',
      'connections',
      'timeline',
      'keys',
      'knowledge',
      'packages',
      'nodes',
      'palette',
      'problems',
      'secrets',
      'shell',
      'versions',
    ],
    ['canvas', 'providers', 'templates', 'tests'],
    ['flows', 'runs'],
    ['triggers', 'history'],
    ['inspector'],
    ['app'],
    ['.'],
  ],
};
