import { lazy } from 'react';

const loadEdge = () => import('./EdgeInspector.tsx').then((file) => ({ default: file.EdgeInspector }));
const loadNote = () => import('./NoteInspector.tsx').then((file) => ({ default: file.NoteInspector }));
const loadSelection = () =>
  import('./SelectionInspector.tsx').then((file) => ({ default: file.SelectionInspector }));
const loadInput = () => import('./InputTab.tsx').then((file) => ({ default: file.InputTab }));
const loadOutput = () => import('./OutputTab.tsx').then((file) => ({ default: file.OutputTab }));
const loadPaste = () => import('../model/paste.ts');
const loadDocs = () => import('./DocsTab.tsx').then((file) => ({ default: file.DocsTab }));

/** What is not there to be seen at first. */
export const EdgeInspector = lazy(loadEdge);
export const NoteInspector = lazy(loadNote);
export const SelectionInspector = lazy(loadSelection);
export const InputTab = lazy(loadInput);
export const OutputTab = lazy(loadOutput);
export const DocsTab = lazy(loadDocs);

/** Fetches them, and pasting, before they are asked for, so that nobody waits for one. */
export function preloadParts(): void {
  for (const load of [loadEdge, loadNote, loadSelection, loadInput, loadOutput, loadDocs, loadPaste]) {
    // Where it cannot be fetched now it is tried again when it is needed, and what fails then is shown.
    load().catch(() => undefined);
  }
}
