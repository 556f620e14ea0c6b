import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import {
  authorizeConnection,
  grantConnection,
  limitConnection,
  listConnections,
  removeConnection,
  showConnection,
  testConnection,
} from './connections.ts';

/** The commands for connections. If a server uses the data folder, it executes them and needs no restart. */
export function addConnectionCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const connections = program
    .command('connections')
    .description(
      'list, show, test, authorize, grant, limit and remove the connections of the data folder, even while the server runs',
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft connections list\n  $ weft connections test shop\n  $ weft connections authorize gsheets\n  $ weft connections grant shop orders stock\n  $ weft connections limit shop 600/minute --burst 20\n  $ weft connections remove shop\n\nExit codes: 0 ok, 1 the command or a test failed, 2 wrong usage.',
    );
  connections
    .command('list')
    .description('list the connections: kind, where they lead, who may use them')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: { json: boolean }) => done(await listConnections(options, io)));
  const one = (name: string, description: string, work: typeof showConnection): void => {
    connections
      .command(name)
      .description(description)
      .argument('<name>', 'the name of a connection')
      .option('--json', 'print the result as JSON', false)
      .action(async (connection: string, { json }: { json: boolean }) =>
        done(await work({ name: connection, json }, io)),
      );
  };
  one('show', 'show the settings and grants of a connection, without passwords', showConnection);
  one('test', 'open a connection and show what answers', testConnection);
  connections
    .command('grant')
    .description('let more flows use a connection; holds at once')
    .argument('<name>', 'the name of a connection')
    .argument('<flows...>', 'the ids of flows')
    .option('--json', 'print the result as JSON', false)
    .action(async (name: string, flows: string[], { json }: { json: boolean }) =>
      done(await grantConnection({ name, json, flows }, io)),
    );
  connections
    .command('limit')
    .description('limit how often all flows together may use a connection; holds at once')
    .argument('<name>', 'the name of a connection')
    .argument('<rate>', 'such as 10/second, 600/minute, 1000/hour, 5000/day; none for no limit')
    .option(
      '--burst <count>',
      'how many may come at once after a quiet time; as many as the limit by default',
    )
    .option('--json', 'print the result as JSON', false)
    .action(async (name: string, limit: string, { json, burst }: { json: boolean; burst?: string }) =>
      done(await limitConnection({ name, json, limit, burst }, io)),
    );
  one(
    'authorize',
    'print the address where a person signs in to a connection by OAuth2, and wait until somebody has',
    authorizeConnection,
  );
  one('remove', 'delete a connection; flows that use it fail then', removeConnection);
}
