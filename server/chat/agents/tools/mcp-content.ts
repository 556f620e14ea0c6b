import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { FileValue } from '#shared/file.ts';
import { sizeText } from '#shared/wait-form.ts';
import type { ToolOutput } from './tool.ts';

/** The most files of one result. */
const MAX_FILES = 10;

/** A file that a tool has returned. */
export interface Received {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** How the content of a tool becomes text and files. */
export interface Reading {
  /** Keeps a file for the run; undefined if no files are kept here. */
  readonly keep: (file: Received) => Promise<FileValue | undefined>;
  /** The name of the tool that reads links of the server, if it has one. */
  readonly reader: string | undefined;
  /** Called with each address that a result names. */
  readonly linked: (uri: string) => void;
}

type Resource = ReadResourceResult['contents'][number];

/** A result as text and files: everything in it reaches the model, or is named in its place. */
export async function contentOf(
  { content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>,
  reading: Reading,
): Promise<ToolOutput> {
  if (content.length === 0 && structuredContent !== undefined)
    return { text: JSON.stringify(structuredContent), files: [] };
  return joined(content, (part, files) => partText(part, files, reading));
}

/** The contents of a resource at an address. */
export function resourceContent(contents: readonly Resource[], reading: Reading): Promise<ToolOutput> {
  return joined(contents, (resource, files) => resourceText(resource, files, reading));
}

async function joined<T>(
  parts: readonly T[],
  textOf: (part: T, files: FileValue[]) => string | Promise<string>,
): Promise<ToolOutput> {
  const texts: string[] = [];
  const files: FileValue[] = [];
  for (const part of parts) texts.push(await textOf(part, files));
  return { text: texts.join('\n'), files };
}

function partText(part: ContentBlock, files: FileValue[], reading: Reading): string | Promise<string> {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return kept(
        { name: `${part.type}.${lastPart(part.mimeType)}`, type: part.mimeType, content: bytesOf(part.data) },
        files,
        reading,
      );
    case 'resource':
      return resourceText(part.resource, files, reading);
    case 'resource_link':
      return linkText(part, reading);
  }
}

function resourceText(resource: Resource, files: FileValue[], reading: Reading): string | Promise<string> {
  const { uri, mimeType: type } = resource;
  if ('text' in resource)
    return `Resource ${uri}${type === undefined ? '' : ` (${type})`}:\n${resource.text}`;
  const name = lastPart(uri);
  const content = bytesOf(resource.blob);
  return kept({ name, type: type ?? 'application/octet-stream', content }, files, reading);
}

function linkText(
  { uri, name, mimeType, size, description }: Extract<ContentBlock, { type: 'resource_link' }>,
  { reader, linked }: Reading,
): string {
  linked(uri);
  const about = [mimeType, size === undefined ? undefined : sizeText(size)].filter(Boolean).join(', ');
  const more = description === undefined ? '' : ` ${description}`;
  const how = reader === undefined ? '' : ` The tool \`${reader}\` reads it.`;
  return `Link to ${name}: ${uri}${about === '' ? '' : ` (${about})`}.${more}${how}`;
}

async function kept(file: Received, files: FileValue[], { keep }: Reading): Promise<string> {
  const value = files.length < MAX_FILES ? await keep(file) : undefined;
  const { name, type, bytes } = value ?? { ...file, bytes: file.content.length };
  if (value === undefined) return `[${name}, ${type}, ${sizeText(bytes)}, is not kept here]`;
  files.push(value);
  return `[${name}, ${type}, ${sizeText(bytes)}]`;
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function lastPart(uri: string): string {
  const path = uri.replace(/[?#].*$/s, '');
  return path.split('/').findLast((part) => part !== '') ?? 'resource';
}
