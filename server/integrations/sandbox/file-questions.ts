import { z } from 'zod';
import { type CodeCall, type FileRange, type FileService, WeftError } from '#engine';
import { missing, readArgs } from './ask-args.ts';
import { limits } from './limits.ts';

const ReadArgs = z.object({
  file: z.object({ $file: z.string() }),
  start: z.int().min(0).optional(),
  end: z.int().min(0).optional(),
});
const NewArgs = z.object({
  name: z.string().optional(),
  type: z.string().optional(),
  base64: z.base64().max(Math.ceil(limits.fileBytes / 3) * 4),
});

/** `ctx.file` and `ctx.newFile`: a file is read only if it belongs to the run, whatever handle the code has. */
export class FileQuestions {
  private readonly files: FileService | undefined;
  private readonly context: CodeCall['context'];

  constructor(files: FileService | undefined, context: CodeCall['context']) {
    this.files = files;
    this.context = context;
  }

  /** Its bytes, or those from `start` to before `end`, in base64. */
  async read(args: string): Promise<string> {
    if (!this.files) throw missing('ctx.file');
    const asked = readArgs(ReadArgs, 'ctx.file', args);
    const { asker } = this.context;
    const found = await this.files.find(asked.file, asker);
    // Opening it says what is wrong.
    if (!found) await this.files.open(asked.file, asker);
    const size = found?.bytes ?? 0;
    const { start = 0 } = asked;
    const end = Math.min(asked.end ?? size, size);
    if (end - start > limits.fileBytes) throw tooLarge(end - start);
    if (end <= start) return '';
    const range: FileRange | undefined = end - start < size ? { first: start, last: end - 1 } : undefined;
    const { content } = await this.files.open(asked.file, asker, range);
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    return Buffer.concat(pieces).toString('base64');
  }

  async create(args: string): Promise<unknown> {
    if (!this.files) throw missing('ctx.newFile');
    const { name, type, base64 } = readArgs(NewArgs, 'ctx.newFile', args);
    const { asker, signal } = this.context;
    return await this.files.create({ name, type, content: Buffer.from(base64, 'base64') }, asker, signal);
  }
}

function tooLarge(bytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `Code reads at most ${limits.fileBytes} bytes of a file at once, not ${bytes}; read it in parts: \`ctx.file(file).bytes({ start, end })\`.`,
  );
}
