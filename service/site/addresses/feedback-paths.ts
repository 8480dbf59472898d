export const FEEDBACK_API_PATH = '/api/v1/feedback';
