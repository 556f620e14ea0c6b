import { type RefObject, useEffect, useRef, useState } from 'react';
import type { FileValue } from '#shared/file.ts';
import { CHAT_FILES, sizeText } from '#shared/wait-form.ts';
import { uploadChatFile } from '../api/files.ts';

/** A file of the message that is being written. */
export interface Attachment {
  readonly key: number;
  readonly name: string;
  readonly bytes: number;
  /** Absent until it is uploaded. */
  readonly value?: FileValue;
}

/** The files of the message that is being written, and the ways to change them. */
export interface Attachments {
  readonly all: readonly Attachment[];
  /** Some are still on their way. */
  readonly isBusy: boolean;
  /** Why the last ones were not taken. */
  readonly fault: string | undefined;
  /** Uploads files at once. */
  add(files: readonly File[]): void;
  /** Takes none, and says why. */
  refuse(why: string): void;
  remove(key: number): void;
  /** The uploaded ones; afterwards there are none. */
  take(): FileValue[];
}

/** The files of the next message. */
export function useAttachments(): Attachments {
  const [all, setAll] = useState<readonly Attachment[]>([]);
  const [fault, setFault] = useState<string>();
  const last = useRef(0);
  const remove = (key: number): void => setAll((now) => now.filter((one) => one.key !== key));

  async function upload(file: File, key: number): Promise<void> {
    try {
      const value = await uploadChatFile(file);
      setAll((now) => now.map((one) => (one.key === key ? { ...one, value } : one)));
    } catch (error) {
      remove(key);
      setFault(`${file.name}: ${(error as Error).message}`);
    }
  }

  function add(files: readonly File[]): void {
    if (files.length === 0) return;
    const problem = faultOf(files, all.length);
    setFault(problem);
    if (problem !== undefined) return;
    const fresh = files.map((file) => ({ file, key: ++last.current }));
    setAll((now) => [...now, ...fresh.map(({ file, key }) => ({ key, name: file.name, bytes: file.size }))]);
    for (const { file, key } of fresh) void upload(file, key);
  }

  function take(): FileValue[] {
    const values = all.flatMap(({ value }) => value ?? []);
    setAll([]);
    setFault(undefined);
    return values;
  }

  return {
    all,
    isBusy: all.some(({ value }) => value === undefined),
    fault,
    add,
    refuse: setFault,
    remove,
    take,
  };
}

function faultOf(files: readonly File[], before: number): string | undefined {
  const { most, maxBytes } = CHAT_FILES;
  if (files.length + before > most) return `At most ${most} files can be attached.`;
  const large = files.find(({ size }) => size > maxBytes);
  return large && `${large.name} has ${sizeText(large.size)}; at most ${sizeText(maxBytes)} are accepted.`;
}

/** Takes files that are dropped anywhere on the chat that `form` is in. Returns whether some are over it. */
export function useDroppedFiles(form: RefObject<HTMLElement | null>, add: Attachments['add']): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(add);
  useEffect(() => {
    latest.current = add;
  });
  useEffect(() => {
    const area = form.current?.parentElement;
    if (!area) return undefined;
    const gone = new AbortController();
    const { signal } = gone;
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!area.contains(event.relatedTarget as Node | null)) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      latest.current(files);
    };
    area.addEventListener('dragover', over, { signal });
    area.addEventListener('dragleave', leave, { signal });
    area.addEventListener('drop', drop, { signal });
    return () => gone.abort();
  }, [form]);
  return isOver;
}
