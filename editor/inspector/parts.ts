import { preloadable } from '../ui/preloadable.tsx';

/** Parts that are not visible at first. */
export const EdgeInspector = preloadable(async () => (await import('./EdgeInspector.tsx')).EdgeInspector);
export const NoteInspector = preloadable(async () => (await import('./NoteInspector.tsx')).NoteInspector);
export const SelectionInspector = preloadable(
  async () => (await import('./SelectionInspector.tsx')).SelectionInspector,
);
export const InputTab = preloadable(async () => (await import('./InputTab.tsx')).InputTab);
export const OutputTab = preloadable(async () => (await import('./OutputTab.tsx')).OutputTab);
export const FormPreview = preloadable(async () => (await import('./FormPreview.tsx')).FormPreview);
export const SourceFacts = preloadable(async () => (await import('../triggers/SourceFacts.tsx')).SourceFacts);
export const BehaviourFields = preloadable(
  async () => (await import('./BehaviourFields.tsx')).BehaviourFields,
);
export const DocsTab = preloadable(async () => (await import('./DocsTab.tsx')).DocsTab);

/** Prefetches them, and pasting, so that nobody has to wait. */
export function preloadParts(): void {
  for (const part of [
    EdgeInspector,
    NoteInspector,
    SelectionInspector,
    InputTab,
    OutputTab,
    DocsTab,
    BehaviourFields,
  ]) {
    part.preload();
  }
  import('../model/document/paste.ts').catch(() => undefined);
}
