import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { defineOperator, literal, optionalInput, output, WeftError } from '../../base/operator.ts';
import { commandLine } from './_command.ts';

/** How much of the outputs stands in the message of a failure. */
const SHOWN = 500;

const Ran = z.object({
  stdout: z.string(),
  stderr: z.string(),
  code: z.int().nullable(),
  signal: z.string().nullable(),
});

export default defineOperator({
  title: 'Run command (SSH)',
  doc: 'Executes a command on another machine over SSH, and gives its output and its exit code.',
  icon: 'square-terminal',
  summary: '{command|code}',
  synonyms: 'ssh, shell, remote command, execute command, terminal, bash, script, exec, server',
  params: z.object({
    connection: literal(
      z
        .string()
        .regex(ID_PATTERN)
        .describe('The name of a connection to a server with SSH.')
        .meta({ widget: 'connection', kinds: ['ssh'] }),
    ),
    command: z
      .string()
      .min(1)
      .max(100_000)
      .describe(
        'The command for the shell there, such as systemctl is-active nginx. Put text from strangers into the arguments or the standard input.',
      )
      .meta({ widget: 'textarea' }),
    args: z
      .array(z.union([z.string().max(100_000), z.number(), z.boolean()]))
      .max(1000)
      .default([])
      .describe('Arguments after the command. Each is quoted, so that the shell executes nothing in it.')
      .meta({ title: 'Arguments' }),
    folder: z
      .string()
      .max(4096)
      .optional()
      .describe(
        'The folder there in which the command is executed, such as /srv/app or ~/app; empty: the home folder.',
      ),
    stdin: z
      .string()
      .optional()
      .describe('The text that the command reads from its standard input.')
      .meta({ title: 'Standard input', widget: 'textarea' }),
    failOnCode: z
      .boolean()
      .default(true)
      .describe('Whether the node fails if the command ends with a code other than 0.')
      .meta({ title: 'Fail on exit codes' }),
    trim: z
      .boolean()
      .default(true)
      .describe('Whether blanks and line breaks at the start and the end of both outputs are removed.'),
    maxBytes: z
      .int()
      .min(1)
      .max(10_000_000)
      .default(1_000_000)
      .describe('Most bytes of both outputs together; a command that writes more is stopped.'),
    timeoutMs: z
      .int()
      .min(1)
      .max(86_400_000)
      .default(60_000)
      .describe(
        'Time limit in milliseconds, including the wait for a connection; after it the command is stopped.',
      ),
  }),
  options: {
    Command: ['folder', 'stdin'],
    Output: ['failOnCode', 'trim'],
    Limits: ['maxBytes', 'timeoutMs'],
  },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'The outputs of the command, its exit code, and the signal that ended it, if there was one.',
      schema: Ran,
    }),
  },
  effects: 'write',
  examples: [
    {
      title: 'The name of the machine',
      params: { connection: 'box', command: 'hostname' },
      outputs: { out: { stdout: 'web-1', stderr: '', code: 0, signal: null } },
    },
    {
      title: 'An argument from the input',
      params: { connection: 'box', command: 'echo', args: ['{{ input.name }}'] },
      inputs: { in: { name: "Ada's; rm -rf /" } },
      outputs: { out: { stdout: "Ada's; rm -rf /", stderr: '', code: 0, signal: null } },
    },
    {
      title: 'A code other than 0 as a value',
      params: { connection: 'box', command: 'grep root /etc/nothing', failOnCode: false },
      outputs: { out: { stdout: '', stderr: 'No such file or directory', code: 2, signal: null } },
    },
    {
      title: 'A code other than 0',
      params: { connection: 'box', command: 'grep root /etc/nothing' },
      error: 'command_failed',
    },
  ],
  async run(call) {
    const { connection, stdin = '', failOnCode, trim, maxBytes, timeoutMs } = call.params;
    const given = { command: commandLine(call.params), stdin, maxBytes };
    const asked = { connection, kind: 'ssh', action: 'run', given, timeoutMs };
    const ran = (await call.service('connections').ask(asked, call.asker, call.signal)) as z.output<
      typeof Ran
    >;
    call.signal.throwIfAborted();
    const texts = trim ? { stdout: ran.stdout.trim(), stderr: ran.stderr.trim() } : {};
    const result = { ...ran, ...texts };
    if (failOnCode && isFailure(result)) throw commandFailed(result);
    return result;
  },
});

/** A server that does not say how the command ended is believed. */
const isFailure = ({ code, signal }: z.output<typeof Ran>): boolean => signal !== null || (code ?? 0) !== 0;

function commandFailed({ stdout, stderr, code, signal }: z.output<typeof Ran>): WeftError {
  const how = signal === null ? `with the code ${code}` : `by the signal ${signal}`;
  const wrote = (stderr.trim() || stdout.trim()).slice(-SHOWN);
  return new WeftError('command_failed', `The command ended ${how}${wrote === '' ? '.' : `: ${wrote}`}`, {
    data: { code, signal },
  });
}
