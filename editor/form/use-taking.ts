import { useContext, useEffect, useRef, useState } from 'react';
import type { FileValue } from '#shared/file.ts';
import { type FileLimits, takesType } from '#shared/wait-form.ts';
import { ApiError } from '../api/client.ts';
import { uploadFile } from '../api/files.ts';
import { bytesText, countText } from '../ui/format.ts';
import { counted, FormUploads } from './uploads.ts';

/** The files of a field, and the limits that new ones must keep. */
export interface Taking {
  readonly limits: FileLimits;
  readonly files: readonly FileValue[];
  onFiles(files: readonly FileValue[]): void;
}

/** A file on its way to the server. */
export interface Upload {
  readonly file: File;
  stop(): void;
}

interface Sending {
  readonly file: File;
  readonly stopping: AbortController;
}

interface Taken {
  readonly underway: readonly Upload[];
  /** Why a file of the last choice was not taken. */
  readonly fault: string | undefined;
  take(chosen: readonly File[]): Promise<void>;
}

/** Uploads chosen files, adds those that arrive and fit, and stops when their field is gone. */
export function useTaking({ limits, files, onFiles }: Taking): Taken {
  const [underway, setUnderway] = useState<readonly Upload[]>([]);
  const [fault, setFault] = useState<string>();
  const many = limits.most > 1;
  const uploads = useContext(FormUploads);
  // While some are on their way, others can be removed.
  const now = useRef(files);
  useEffect(() => {
    now.current = files;
  });
  useStopWhenGone(underway);
  const send = async ({ file, stopping }: Sending): Promise<FileValue | undefined> => {
    try {
      const stored = await uploadFile(file, stopping.signal);
      if (takesType(limits, stored.type)) return stored;
      setFault(`${stored.name} is ${stored.type}, which does not fit here.`);
    } catch (error) {
      if (!stopping.signal.aborted) setFault(refusalOf(error));
    } finally {
      setUnderway((all) => all.filter((one) => one.file !== file));
    }
    return undefined;
  };
  const take = async (chosen: readonly File[]): Promise<void> => {
    const wanted = many ? chosen : chosen.slice(0, 1);
    const problem = faultOf(wanted, limits, many ? files.length : 0);
    setFault(problem);
    if (problem !== undefined) return;
    const sending = wanted.map((file) => ({ file, stopping: new AbortController() }));
    setUnderway(sending.map(({ file, stopping }) => ({ file, stop: () => stopping.abort() })));
    const stored = (await counted(uploads, Promise.all(sending.map(send)))).filter(
      (one) => one !== undefined,
    );
    if (stored.length > 0) onFiles(many ? [...now.current, ...stored] : stored);
  };
  return { underway, fault, take };
}

/** An upload whose field is gone has nobody who waits for it. */
function useStopWhenGone(uploads: readonly Upload[]): void {
  const now = useRef(uploads);
  useEffect(() => {
    now.current = uploads;
  });
  useEffect(() => () => now.current.forEach(({ stop }) => stop()), []);
}

/** What the server need not be asked. It looks into the files; a browser guesses their types by their names. */
function faultOf(files: readonly File[], { maxBytes, most }: FileLimits, before: number): string | undefined {
  if (files.length + before > most) return `At most ${countText(most, 'file')} can be added.`;
  const large = files.find(({ size }) => size > maxBytes);
  return large && `${large.name} has ${bytesText(large.size)}; at most ${bytesText(maxBytes)} are accepted.`;
}

/** A file that did not arrive is kept nowhere, unlike a change of a flow. */
function refusalOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The file could not be read. Choose it again.';
  if (error.code !== 'offline') return error.message;
  return 'The server cannot be reached. Choose the file again once it is back.';
}
