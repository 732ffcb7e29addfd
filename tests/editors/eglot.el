;; What a user of Emacs does with a prompt, written as JSON.  -*- lexical-binding: t; -*-
;; Arguments: mode's file, prompt, output.  The server's command is PDL_COMMAND, as JSON.
(require 'json)
(require 'package)
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa") ; Debian's elpa-eglot
(package-initialize)
(unless (require 'eglot nil t)
  (princ "eglot is not installed")
  (kill-emacs 3))
(setq debug-on-error nil
      eglot-sync-connect 60
      make-backup-files nil)

(advice-add 'y-or-n-p :override (lambda (&rest _) t)) ; whether to change several files

(defvar pdl-result nil)

(defun pdl-result (name value)
  "Set what is written as NAME to VALUE."
  (push (cons name value) pdl-result))

(defun pdl-wait (condition)
  "Wait until CONDITION returns a value, and return it."
  (let ((until (+ (float-time) 20)) value)
    (while (not (or (setq value (funcall condition)) (> (float-time) until)))
      (accept-process-output nil 0.05))
    (or value (error "Timeout: %S" condition))))

(defun pdl-behind (needle)
  "Go behind the first NEEDLE."
  (goto-char (point-min))
  (search-forward needle))

(defun pdl-text ()
  "The text of the buffer."
  (buffer-substring-no-properties (point-min) (point-max)))

(defun pdl-problems ()
  "The lines and words of the diagnostics."
  (mapcar (lambda (one)
            (format "%d: %s" (line-number-at-pos (flymake-diagnostic-beg one))
                    (flymake-diagnostic-text one)))
          (flymake-diagnostics)))

(let ((mode (pop command-line-args-left))
      (file (pop command-line-args-left))
      (output (pop command-line-args-left))
      (coding-system-for-write 'utf-8))
  (load mode nil t t)
  (setq pdl-prompt-server (append (json-parse-string (getenv "PDL_COMMAND")) nil))
  (find-file file)
  (apply #'eglot--connect (eglot--guess-contact))
  (flymake-start)
  (pdl-result 'diagnostics (vconcat (pdl-wait #'pdl-problems)))
  (pdl-behind "  revi")
  (let ((answer (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                 (eglot--TextDocumentPositionParams))))
    (pdl-result 'hover (plist-get (plist-get answer :contents) :value)))
  (pdl-behind "| {{ re")
  (pdl-result 'completion (vconcat (mapcar #'substring-no-properties
                                           (all-completions "re" (nth 2 (eglot-completion-at-point))))))
  (pdl-behind "reveiw")
  (replace-match "review")
  (eglot--signal-textDocument/didChange) ; which happens when a user pauses
  (pdl-behind "{{ revi")
  (eglot-rename "words")
  (save-some-buffers t)
  (pdl-result 'renamed (pdl-text))
  (eglot-format-buffer)
  (pdl-result 'formatted (pdl-text))
  (write-region (json-encode pdl-result) nil output))
