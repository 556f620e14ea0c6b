/** The handles by which notes and frames are resized, as a part of its own, since only what is selected has them. */
export { NodeResizer } from '@xyflow/react';
