import { later, preloadable } from '../ui/preloadable.tsx';

// Everything beside the drawing is loaded separately: drawing works without it.
export const CanvasMap = later(async () => (await import('./CanvasMap.tsx')).CanvasMap);
export const Overview = preloadable(async () => (await import('./Overview.tsx')).Overview);
export const FarNodes = preloadable(async () => (await import('./FarNodes.tsx')).FarNodes);
export const EdgeControls = later(async () => (await import('./EdgeControls.tsx')).EdgeControls);
export const NodeTools = later(async () => (await import('./NodeTools.tsx')).NodeTools);
export const NodeResizer = later(async () => (await import('./NodeResizer.tsx')).NodeResizer);
export const FrameResizer = later(async () => (await import('./FrameResizer.tsx')).FrameResizer);
export const FoldedRounds = preloadable(async () => (await import('./FoldedRounds.tsx')).FoldedRounds);
export const RoundPicker = preloadable(async () => (await import('./RoundPicker.tsx')).RoundPicker);
export const WaitTools = preloadable(async () => (await import('../waits/WaitTools.tsx')).WaitTools);
export const NodeWatch = preloadable(async () => (await import('./NodeWatch.tsx')).NodeWatch);
