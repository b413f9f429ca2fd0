/** All examples use the same ids, so that a reader can follow one conversation through them. */
export const HOST_ID = '70f74a41-c89d-4b5c-b77b-498fb3a4ec37';
export const AVATAR_ID = 'c55c7a4d-c2aa-460f-9849-f90ea85ebfc9';
export const DATASET_ID = '332ea4ab-eea2-4ece-8f60-eb5c82a9a7ff';
export const LINK_ID = '5d0a2f6c-9e0b-4c8d-8a3e-2b1f7c6d4e90';
export const CHUNK_ID = 'e7b1c9d4-52f8-4a06-9c3d-6f0e8b7a1d25';
export const CONVERSATION_ID = '2f3b794f-633c-45b1-a2e2-68c323cd2740';
export const CONTACT_ID = 'c651b939-16c5-4b2f-ab84-a1a5a34a9de1';
export const LEAD_ID = '7b0e5f57-3a1d-4a52-8b55-0f1f2d5e9c11';
export const TICKET_ID = '0d9d6c2e-6a43-4c1c-9f0e-3c1b7a5d2e84';
export const JOB_ID = 'kf462b110884f4885a8d573c607918cac';
export const TOKEN_ID = '1c8a6f9b-3f0d-4b7e-8f55-0d9a4e7c2b63';
export const MCP_ID = '0e9be4f3-52a5-4ab1-a1f1-6f0c2b8a7d51';
export const WEBHOOK_ID = '4f6c0d1a-8e25-4c1f-9d37-b02f5e6a7c18';
export const DELIVERY_ID = 'a3d8e1b7-5c90-4f2e-86a4-1d7b9c0f3e65';
export const FLOW_ID = '9a1f0f0e-6a3c-4a53-9b0e-5a2b7c5e6d41';
export const AGENT_ID = 'b1c2f3a4-6d5e-4f70-9a81-3c4d5e6f7a80';
export const SCHEMA_ID = 'd94c1b7e-0a3f-4e62-8b15-7f6a5c4d3e21';
