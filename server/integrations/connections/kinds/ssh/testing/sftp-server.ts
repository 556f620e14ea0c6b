import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, stat, unlink } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import ssh2, { type Attributes, type SFTPWrapper } from 'ssh2';

const { STATUS_CODE, flagsToString } = ssh2.utils.sftp;

interface Opened {
  readonly file?: FileHandle;
  /** Names that were not told yet. */
  readonly names?: { readonly filename: string; readonly longname: string; readonly attrs: Attributes }[];
}

const CODES: Readonly<Record<string, number>> = {
  ENOENT: STATUS_CODE.NO_SUCH_FILE,
  ENOTDIR: STATUS_CODE.NO_SUCH_FILE,
  EACCES: STATUS_CODE.PERMISSION_DENIED,
};

interface Served {
  readonly folder: string;
  /** Of the largest answer to a read. */
  readonly readBytes?: number | undefined;
  /** Called in place of an answer to a read. */
  readonly mute?: (() => void) | undefined;
  /** Lists say nothing but names. */
  readonly isVague?: boolean | undefined;
  /** It resolves no links where it is asked for the real path. */
  readonly isLexical?: boolean | undefined;
}

/** Serves a folder as `/` over SFTP, in version 3 without extensions: `rename` replaces nothing. */
export function serveFiles(
  sftp: SFTPWrapper,
  { folder, readBytes = 1_000_000, mute, isVague = false, isLexical = false }: Served,
): void {
  const handles = new Map<number, Opened>();
  let next = 1;
  const at = (path: string): string => join(folder, normalize(`/${path}`));
  const seen = (path: string): string => path.slice(folder.length).replaceAll(sep, '/') || '/';
  const opened = (handle: Buffer): Opened => handles.get(handle.readUInt32BE(0)) ?? {};
  const handleOf = (one: Opened): Buffer => {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(next, 0);
    handles.set(next++, one);
    return handle;
  };
  const answering = (id: number, work: Promise<void>): void => {
    work.catch((error: NodeJS.ErrnoException) =>
      sftp.status(id, CODES[error.code ?? ''] ?? STATUS_CODE.FAILURE),
    );
  };
  const done = (id: number, work: Promise<unknown>): void =>
    answering(
      id,
      work.then(() => sftp.status(id, STATUS_CODE.OK)),
    );

  sftp.on('close', () => handles.forEach(({ file }) => void file?.close()));
  sftp.on('REALPATH', (id, path) =>
    answering(
      id,
      (isLexical ? Promise.resolve(at(path).replace(/(.)\/$/, '$1')) : realpath(at(path))).then((filename) =>
        sftp.name(id, [{ filename: seen(filename), longname: '', attrs: NOTHING }]),
      ),
    ),
  );
  sftp.on('STAT', (id, path) =>
    answering(
      id,
      stat(at(path)).then((found) => sftp.attrs(id, attrsOf(found))),
    ),
  );
  sftp.on('LSTAT', (id, path) =>
    answering(
      id,
      lstat(at(path)).then((found) => sftp.attrs(id, attrsOf(found))),
    ),
  );
  sftp.on('FSETSTAT', (id, handle, { mode }) =>
    done(id, opened(handle).file?.chmod(mode) ?? Promise.reject(new Error())),
  );
  sftp.on('OPEN', (id, path, flags) =>
    answering(
      id,
      open(at(path), flagsToString(flags) ?? 'r').then((file) => sftp.handle(id, handleOf({ file }))),
    ),
  );
  sftp.on('READ', (id, handle, offset, length) => {
    if (mute) return mute();
    answering(
      id,
      (async () => {
        const bytes = Buffer.alloc(Math.min(length, readBytes));
        const { bytesRead } = (await opened(handle).file?.read(bytes, 0, bytes.length, offset)) ?? {
          bytesRead: 0,
        };
        if (bytesRead === 0) sftp.status(id, STATUS_CODE.EOF);
        else sftp.data(id, bytes.subarray(0, bytesRead));
      })(),
    );
  });
  sftp.on('WRITE', (id, handle, offset, data) =>
    done(id, opened(handle).file?.write(data, 0, data.length, offset) ?? Promise.reject(new Error())),
  );
  sftp.on('CLOSE', (id, handle) => {
    const { file } = opened(handle);
    handles.delete(handle.readUInt32BE(0));
    done(id, file?.close() ?? Promise.resolve());
  });
  sftp.on('MKDIR', (id, path) => done(id, mkdir(at(path))));
  sftp.on('REMOVE', (id, path) => done(id, unlink(at(path))));
  sftp.on('RENAME', (id, from, to) => {
    done(
      id,
      link(at(from), at(to)).then(() => unlink(at(from))),
    );
  });
  sftp.on('OPENDIR', (id, path) =>
    answering(
      id,
      (async () => {
        const names = await readdir(at(path));
        const all = names.map(async (filename) => ({
          filename,
          longname: filename,
          attrs: isVague ? ({} as Attributes) : attrsOf(await lstat(join(at(path), filename))),
        }));
        sftp.handle(id, handleOf({ names: await Promise.all(all) }));
      })(),
    ),
  );
  sftp.on('READDIR', (id, handle) => {
    const some = opened(handle).names?.splice(0, 2) ?? [];
    if (some.length === 0) sftp.status(id, STATUS_CODE.EOF);
    else sftp.name(id, some);
  });
}

const NOTHING: Attributes = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };

function attrsOf({ mode, uid, gid, size, atimeMs, mtimeMs }: Stats): Attributes {
  return { mode, uid, gid, size, atime: Math.floor(atimeMs / 1000), mtime: Math.floor(mtimeMs / 1000) };
}
