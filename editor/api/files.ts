import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { call } from './client.ts';

/** Stores a file for the input of a run, or for an answer; only whoever is signed in may use it. Throws `ApiError`. */
export function uploadFile(file: File, signal?: AbortSignal): Promise<FileValue> {
  const headers = headersOf(file);
  return call(() => FileValue, 'POST', '/api/v1/files', { body: file, headers, ...(signal && { signal }) });
}

/** Stores a file for a message of a chat. Throws `ApiError`. */
export async function uploadChatFile(file: File): Promise<FileValue> {
  const schema = () => z.object({ files: z.tuple([FileValue]) });
  const { files } = await call(schema, 'POST', '/api/v1/chat/files', {
    body: file,
    headers: headersOf(file),
  });
  return files[0];
}

/** Where a file of a conversation, or one that was uploaded for it, is found. */
export function conversationFileAt(conversation: string, { $file }: Pick<FileValue, '$file'>): string {
  return `/api/v1/chat/conversations/${encodeURIComponent(conversation)}/files/${$file}`;
}

function headersOf(file: File): Record<string, string> {
  return {
    'content-type': file.type === '' ? 'application/octet-stream' : file.type,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
  };
}
