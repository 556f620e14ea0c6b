import { WeftError } from '../../base/operator.ts';

interface Given {
  readonly command: string;
  readonly args: readonly (string | number | boolean)[];
  readonly folder?: string | undefined;
}

/** The command for a POSIX shell. Throws `bad_params` for a text that no shell takes, and without a command. */
export function commandLine({ command, args, folder }: Given): string {
  const words = args.map((arg, i) => quoted(String(arg), `params.args.${i}`));
  if (command.includes('\0')) throw zero('params.command');
  if (command.trim() === '')
    throw new WeftError('bad_params', 'The command is empty.', { field: 'params.command' });
  const line = withWords(command, words);
  return folder === undefined || folder === '' ? line : `cd ${folderWord(folder)} || exit $?\n${line}`;
}

/**
 * A line break at the end of the command would make the words a command of their own, and a line break in a word would end a
 * comment. So words after a command that has one of both are set before it, where they are nothing but words.
 */
function withWords(command: string, words: readonly string[]): string {
  if (words.length === 0) return command;
  const line = command.trimEnd();
  return /[#\r\n]/.test(line) ? `set -- ${words.join(' ')}\n${line} "$@"` : [line, ...words].join(' ');
}

/** One word for the shell, whatever it contains. */
function quoted(text: string, field: string): string {
  if (text.includes('\0')) throw zero(field);
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A folder that no option can be taken for; `~` at its beginning is the home folder. */
function folderWord(folder: string): string {
  const [, home = '', rest = ''] = /^(~(?=\/|$)\/?)?(.*)$/s.exec(folder) ?? [];
  if (rest === '') return home;
  return home + quoted(home === '' && rest.startsWith('-') ? `./${rest}` : rest, 'params.folder');
}

function zero(field: string): WeftError {
  return new WeftError('bad_params', 'No command has a character with the code 0.', { field });
}
