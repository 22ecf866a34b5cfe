// Generated from test/fixtures/host-recordings/claude-code-2.1.325 by `npm run generate`.
export const payloads = {
  "PreCompact": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "d3fff445-b354-4007-aeb3-3584ad7583f4",
    "hook_event_name": "PreCompact",
    "trigger": "manual",
    "custom_instructions": "keep the phase"
  },
  "SessionStart": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "d3fff445-b354-4007-aeb3-3584ad7583f4",
    "hook_event_name": "SessionStart",
    "source": "compact",
    "model": "claude-opus-5-5"
  },
  "PostCompact": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "d3fff445-b354-4007-aeb3-3584ad7583f4",
    "hook_event_name": "PostCompact",
    "trigger": "manual",
    "compact_summary": "<analysis>-</analysis><summary>SUMMARY-OF-EARLIER-WORK</summary>"
  },
  "UserPromptSubmit": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "5e20fe78-e868-4de1-b01a-55df14b30d5f",
    "permission_mode": "default",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "DO:READ /home/dev/shop/CLAUDE/PlanWorkflow.md"
  },
  "PostToolUse": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "5e20fe78-e868-4de1-b01a-55df14b30d5f",
    "permission_mode": "default",
    "effort": {
      "level": "medium"
    },
    "hook_event_name": "PostToolUse",
    "tool_name": "Read",
    "tool_input": {
      "file_path": "/home/dev/shop/CLAUDE/PlanWorkflow.md"
    },
    "tool_response": {
      "type": "text",
      "file": {
        "filePath": "/home/dev/shop/CLAUDE/PlanWorkflow.md",
        "content": "How plans are worked here.\n",
        "numLines": 2,
        "startLine": 1,
        "totalLines": 2
      }
    },
    "tool_use_id": "toolu_1",
    "duration_ms": 8
  },
  "SubagentStart": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "f4289721-b72d-4782-8c34-2856f7dbc663",
    "agent_id": "a40708ab02b9dd332",
    "agent_type": "general-purpose",
    "hook_event_name": "SubagentStart"
  },
  "PreToolUse": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "f4289721-b72d-4782-8c34-2856f7dbc663",
    "permission_mode": "default",
    "effort": {
      "level": "medium"
    },
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {
      "command": "echo hi",
      "description": "scripted"
    },
    "tool_use_id": "toolu_3"
  },
  "SessionEnd": {
    "session_id": "5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11",
    "transcript_path": "/home/dev/.claude/projects/-home-dev-shop/5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11.jsonl",
    "cwd": "/home/dev/shop",
    "prompt_id": "5e20fe78-e868-4de1-b01a-55df14b30d5f",
    "hook_event_name": "SessionEnd",
    "reason": "other"
  }
};
