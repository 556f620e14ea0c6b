import type { Command } from 'commander';
import type { ExitCode, Io } from '../io.ts';
import type { AddOptions } from './services.ts';

/** The commands for services. A server that runs reads what they change by itself. */
export function addServiceCommands(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const services = program
    .command('services')
    .description('add, list, show and remove services: operators from the description of an API')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weft services add https://api.example.com/openapi.json --list\n  $ weft services add ./openapi.yaml --calls list-pets,add-pet\n  $ weft services show petstore\n  $ weft services remove petstore\n\nExit codes: 0 ok, 1 the command failed, 2 wrong usage.',
    );
  services
    .command('add')
    .description('make operators of the calls of an API (OpenAPI 3.0 or 3.1, Google Discovery)')
    .argument('<description>', 'a file, or an address with https://')
    .option('--list', 'show the calls, and add nothing', false)
    .option('--calls <ids>', 'the calls that become operators, separated by commas')
    .option('--id <id>', 'the name of the service; by default made of its title')
    .option('--base <address>', 'the address of the API, if the description has none')
    .option('--replace', 'take the place of a service with the same name', false)
    .option('--json', 'print the result as JSON', false)
    .action(async (place: string, options: AddOptions) =>
      done(await (await import('./services.ts')).addService(place, options, io)),
    );
  services
    .command('list')
    .description('list the services')
    .option('--json', 'print the result as JSON', false)
    .action(async ({ json }: { json: boolean }) =>
      done(await (await import('./services.ts')).listServices(json, io)),
    );
  services
    .command('show')
    .description('show a service and its calls; with --json its file')
    .argument('<id>', 'the name of a service')
    .option('--json', 'print the file', false)
    .action(async (id: string, { json }: { json: boolean }) =>
      done(await (await import('./services.ts')).showService(id, json, io)),
    );
  services
    .command('remove')
    .description('remove a service that was added')
    .argument('<id>', 'the name of a service')
    .action(async (id: string) => done(await (await import('./services.ts')).removeService(id, io)));
}
