import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { loadFile } from '../api/knowledge.ts';
import { bytesText } from '../ui/format.ts';
import { KNOWLEDGE_READS } from './queries.ts';

/** A file that was not taken. `code`: of the table of errors; `internal` for a failure that has none. */
export interface FailedUpload {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** Largest document, in bytes; the server refuses what is larger, but only after it was sent. */
const MOST_BYTES = 50_000_000;

/** Uploads to a space, one after another. */
export function useUploads(space: string) {
  const queries = useQueryClient();
  const [sending, setSending] = useState<readonly string[]>([]);
  const [failed, setFailed] = useState<readonly FailedUpload[]>([]);
  const dismiss = (name: string): void => setFailed((all) => all.filter((one) => one.name !== name));

  async function send(file: File): Promise<void> {
    try {
      if (file.size > MOST_BYTES)
        throw new ApiError(
          'file_too_large',
          `It has ${bytesText(file.size)}; ${bytesText(MOST_BYTES)} are accepted.`,
          413,
        );
      await loadFile(space, file);
    } catch (error) {
      const { code, message } =
        error instanceof ApiError ? error : { code: 'internal', message: String(error) };
      setFailed((all) => [
        ...all.filter(({ name }) => name !== file.name),
        { name: file.name, code, message },
      ]);
    }
  }

  async function add(files: readonly File[]): Promise<void> {
    setSending((all) => [...all, ...files.map(({ name }) => name)]);
    for (const file of files) {
      dismiss(file.name);
      await send(file);
      setSending((all) => all.toSpliced(all.indexOf(file.name), 1));
      for (const key of KNOWLEDGE_READS) void queries.invalidateQueries({ queryKey: [key] });
    }
  }
  return { sending, failed, dismiss, add: (files: readonly File[]): void => void add(files) };
}
