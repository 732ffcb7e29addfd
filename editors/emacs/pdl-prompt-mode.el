;;; pdl-prompt-mode.el --- Major mode for the prompt files of pdl  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Highlights turns, the types in them, media tags, and the Jinja template in all of them; in files
;; of cases, NAME.tests.pdl, their sections.  With Eglot, `pdl lsp' adds diagnostics, completion,
;; renaming, formatting, and more.

;;; Code:

(defgroup pdl-prompt nil
  "Prompt files of pdl."
  :group 'languages)

(defcustom pdl-prompt-server '("pdl" "lsp")
  "The command of the language server."
  :type '(repeat string))

(defconst pdl-prompt--types
  '("str" "string" "int" "integer" "float" "number" "bool" "boolean" "null" "any" "date" "time"
    "datetime" "duration" "email" "uri" "uuid" "ipv4" "ipv6" "yesno" "code" "tasklist"))

(defconst pdl-prompt--roles
  '("system" "user" "assistant" "schema" "reasoning" "input" "tools" "config"))

(defconst pdl-prompt--marker
  (concat "<|[ \t]*\\(?:\\(" (regexp-opt pdl-prompt--roles)
          "\\)[ \t]*|>[ \t]*\\(?:$\\|{[%#]\\)\\|{{\\)")
  "A turn marker: its role is group 1, unless it is computed.")

(defconst pdl-prompt--mark
  (concat "[ \t]*\\(<|[ \t]*\\("
          (regexp-opt '("case" "data" "reply" "expect" "assert" "messages" "cases" "judge"))
          "\\)[ \t]*|>\\)[ \t]*")
  "The mark of a section of a file of cases, group 1, and its name, group 2.")

(defconst pdl-prompt--case-turn
  (concat "[ \t]*<|[ \t]*" (regexp-opt pdl-prompt--roles) "[ \t]*|>[ \t]*$")
  "A turn of golden messages.")

(defconst pdl-prompt--case-parts
  (let ((comment "^[ \t]*\\(?1:#\\)")
        (string "\"\\(?:[^\"\\\n]\\|\\\\.\\)*\"?\\|'\\(?:[^'\\\n]\\|\\\\.\\)*'?"))
    `((preamble . ,comment)
      (case . ,comment)
      (cases . ,comment)
      (data . "\"\\(?:[^\"\\\n]\\|\\\\.\\)*\"\\|\\(?:^\\|[ \t]\\)\\(?1:#\\)")
      (expect . ,(concat comment "\\|\\(?1://\\)\\|" string))
      (assert . ,(concat comment "\\|" string))))
  "The regexp of a comment, which begins with group 1, or of a string, by section.")

;;; Parts: each character has its turn's role, and the kind `tag' or `marker' if it is in one

(defun pdl-prompt--part (position)
  "The kind of the text at POSITION, or else the role of its turn."
  (or (get-text-property position 'pdl-prompt-kind)
      (get-text-property position 'pdl-prompt-role)
      'text))

(defun pdl-prompt--fence (begin end class)
  "Make the text from BEGIN to END a comment or a string, by its syntax CLASS."
  (when (< (1+ begin) end)
    (let ((syntax (string-to-syntax class)))
      (put-text-property begin (1+ begin) 'syntax-table syntax)
      (put-text-property (1- end) end 'syntax-table syntax)
      (put-text-property begin end 'syntax-multiline t))))

(defun pdl-prompt--skip-comment ()
  "Go to the end of the template's comment that begins before point."
  (let ((begin (- (point) 2)))
    (search-forward "#}" nil 'move)
    (pdl-prompt--fence begin (point) "!")))

(defun pdl-prompt--skip-tag-string (quote)
  "Go to the end of a string of a tag, which begins with QUOTE before point."
  (let ((begin (1- (point))))
    (while (and (re-search-forward (concat "\\\\.\\|" quote "\\|^[ \t]*<|") nil 'move)
                (eq (char-after (match-beginning 0)) ?\\)))
    (if (eq (char-before) ?|) (goto-char (match-beginning 0)))
    (pdl-prompt--fence begin (point) "|")))

(defun pdl-prompt--skip-tag ()
  "Go to the end of the template's tag that begins before point."
  (let ((begin (- (point) 2)) (braces 0) done)
    (while (and (not done) (re-search-forward "[\"'{]\\|[%}]}\\|}\\|^[ \t]*<|" nil 'move))
      (pcase (char-before)
        ((or ?\" ?') (pdl-prompt--skip-tag-string (string (char-before))))
        (?{ (setq braces (1+ braces)))
        (?| (goto-char (match-beginning 0)) (setq done t))
        (_ (if (zerop braces)
               (setq done t)
             (setq braces (1- braces))
             (goto-char (1+ (match-beginning 0)))))))
    (put-text-property begin (point) 'pdl-prompt-kind 'tag)
    (put-text-property begin (point) 'syntax-multiline t)))

(defun pdl-prompt--skip-raw ()
  "Go to the end of the text that the tag `raw' before point protects."
  (when (looking-back "{%[-+]?[ \t]*raw[ \t]*[-+]?%}" (line-beginning-position))
    (let ((begin (point)))
      (when (re-search-forward "{%[-+]?[ \t]*endraw\\>" nil 'move)
        (goto-char (match-beginning 0)))
      (put-text-property begin (point) 'syntax-multiline t))))

(defun pdl-prompt--skip-string (quote)
  "Go to the end of a string that begins with QUOTE before point."
  (let ((begin (1- (point))) (line (line-end-position)) done)
    (while (not done)
      (unless (re-search-forward (concat "\\\\.\\|{[{%]\\|" quote) line 'move)
        (setq done t))
      (pcase (char-before)
        ((or ?{ ?%)
         (unless done
           (pdl-prompt--fence begin (match-beginning 0) "|")
           (pdl-prompt--skip-tag)
           (setq begin (point) line (line-end-position))))
        (_ (setq done (or done (equal (match-string 0) quote))))))
    (pdl-prompt--fence begin (point) "|")))

(defun pdl-prompt--propertize (start end)
  "Set the parts, comments, and strings of the text from START to END."
  (goto-char start)
  (remove-text-properties start end '(pdl-prompt-kind nil))
  (let ((case-fold-search t)
        (role (and (> start (point-min)) (get-text-property (1- start) 'pdl-prompt-role)))
        (begin start))
    (while (and (< (point) end) (re-search-forward "<|\\|{[#%{]\\|//\\|[\"']" end t))
      (let ((at (match-beginning 0)))
        (pcase (match-string 0)
          ("{#" (pdl-prompt--skip-comment))
          ((or "{%" "{{") (pdl-prompt--skip-tag) (pdl-prompt--skip-raw))
          ("<|" (when (and (looking-back "\\(?:^\\|[%#]}\\)[ \t]*<|" (line-beginning-position))
                           (save-excursion (goto-char at) (looking-at pdl-prompt--marker)))
                  (put-text-property begin at 'pdl-prompt-role role)
                  (setq role (intern (downcase (or (match-string 1) "user"))) begin at)
                  (when (match-beginning 1)
                    (search-forward "|>"))
                  (put-text-property at (point) 'pdl-prompt-kind 'marker)))
          ("//" (when (if (eq role 'config)
                          (looking-back "^[ \t]*//" (line-beginning-position))
                        (memq role '(schema input tools)))
                  (end-of-line)
                  (pdl-prompt--fence at (min (1+ (point)) (point-max)) "!")))
          (_ (when (memq role '(schema input tools))
               (pdl-prompt--skip-string (match-string 0)))))))
    (put-text-property begin (max begin end (point)) 'pdl-prompt-role role)))

;;; Files of cases: each character has its section's name, and a kind if it is in a mark, in what
;;; follows a mark on its line, or in a turn of golden messages

(defun pdl-prompt--cases-p ()
  "Whether this buffer holds cases, by the name of its file."
  (let ((case-fold-search nil))
    (string-match-p "\\.tests\\.pdl\\'" (or buffer-file-name (buffer-name)))))

(defun pdl-prompt--case-mark ()
  "Set the kinds of the mark at point and of what follows it, and go past the mark.
Return the name of the section."
  (let ((section (intern (downcase (match-string 2)))))
    (put-text-property (match-beginning 1) (match-end 1) 'pdl-prompt-kind 'marker)
    (goto-char (match-end 0))
    (cond ((eq section 'case)
           (put-text-property (point) (line-end-position) 'pdl-prompt-kind 'name))
          ((or (memq section '(cases reply judge)) (eq (char-after) ?@))
           (put-text-property (point) (line-end-position) 'pdl-prompt-kind 'argument)))
    (when (and (eq section 'reply) (looking-at "refused\\_>"))
      (put-text-property (point) (match-end 0) 'pdl-prompt-kind 'refused))
    section))

(defun pdl-prompt--case-line (section)
  "Set the comment and the strings of the rest of a line in SECTION."
  (let ((parts (alist-get section pdl-prompt--case-parts)) (line (line-end-position)))
    (while (and parts (re-search-forward parts line t))
      (let ((comment (match-beginning 1)))
        (when comment
          (end-of-line))
        (pdl-prompt--fence (or comment (match-beginning 0))
                           (if comment (min (1+ (point)) (point-max)) (point))
                           (if comment "!" "|"))))))

(defun pdl-prompt--propertize-cases (start end)
  "Set the parts, comments, and strings of the cases from START to END."
  (goto-char start)
  (remove-text-properties start end '(pdl-prompt-kind nil))
  (let ((case-fold-search t)
        (section (or (and (> start (point-min)) (get-text-property (1- start) 'pdl-prompt-role))
                     'preamble)))
    (while (< (point) end)
      (let ((begin (point)))
        (cond ((looking-at pdl-prompt--mark)
               (setq section (pdl-prompt--case-mark)))
              ((and (eq section 'messages) (looking-at pdl-prompt--case-turn))
               (put-text-property begin (match-end 0) 'pdl-prompt-kind 'turn)))
        (pdl-prompt--case-line section)
        (forward-line)
        (put-text-property begin (point) 'pdl-prompt-role section)))))

;;; Highlighting

(defun pdl-prompt--within (regexp &rest parts)
  "Return a function that finds REGEXP in text of these PARTS."
  (lambda (limit)
    (let (found)
      (while (and (not found) (re-search-forward regexp limit t))
        (setq found (memq (pdl-prompt--part (match-beginning 0)) parts)))
      found)))

(defun pdl-prompt--all (kind)
  "Return a function that finds text of KIND."
  (lambda (limit)
    (let ((begin (text-property-any (point) limit 'pdl-prompt-kind kind)))
      (when begin
        (goto-char (or (text-property-not-all begin limit 'pdl-prompt-kind kind) limit))
        (set-match-data (list begin (point)))
        t))))

(defvar pdl-prompt-font-lock-keywords
  (let ((name "[[:alpha:]_][[:alnum:]_]*") (typed '(schema input tools expect))
        (prompt (append '(text messages tag) (mapcar #'intern pdl-prompt--roles))))
    `((,(pdl-prompt--within "<|[^|\n]*\\(?:|>\\)?" 'marker) . font-lock-keyword-face)
      (,(pdl-prompt--within (concat "{%[-+]?[ \t\n]*\\(" name "\\)") 'tag) 1 font-lock-keyword-face)
      (,(pdl-prompt--within "{[{%][-+]?\\|[-+]?[%}]}" 'tag) . font-lock-preprocessor-face)
      (,(pdl-prompt--within (concat "|[ \t\n]*\\(" name "\\)") 'tag 'assert) 1 font-lock-function-name-face)
      (,(pdl-prompt--within (concat "\\_<is[ \t\n]+\\(?:not[ \t\n]+\\)?\\(" name "\\)") 'tag 'assert)
       1 font-lock-function-name-face)
      (,(pdl-prompt--within
         (regexp-opt '("and" "or" "not" "in" "is" "if" "else" "import" "as" "with" "without"
                       "context" "ignore" "missing" "recursive")
                     'symbols)
         'tag 'assert)
       . font-lock-keyword-face)
      (,(pdl-prompt--within "\\_<\\(?:[Tt]rue\\|[Ff]alse\\|[Nn]one\\)\\_>" 'tag 'assert)
       . font-lock-constant-face)
      (,(pdl-prompt--within "\\_<\\(?:loop\\|schema\\|self\\|super\\|caller\\)\\_>" 'tag 'assert)
       . font-lock-builtin-face)
      (,(pdl-prompt--within (concat "\\_<" name) 'tag 'assert) . font-lock-variable-name-face)
      (,(apply #'pdl-prompt--within "\\(<|[ \t]*\\(?:raw_\\)?media\\)[ \t\n]*(\\|)?[ \t]*|>" prompt)
       . font-lock-function-name-face)
      (,(apply #'pdl-prompt--within "&lt;|&gt;\\|&lt;|\\||&gt;\\|&amp;" prompt)
       . font-lock-constant-face)
      (,(apply #'pdl-prompt--within "@[^ \t\n{]+" typed) . font-lock-string-face)
      (,(apply #'pdl-prompt--within
               "\\(\"[^\"\n{]*\"\\|'[^'\n{]*'\\)[ \t]*\\??[ \t]*:" typed)
       1 font-lock-variable-name-face t)
      (,(apply #'pdl-prompt--within "\\_<\\([[:alnum:]_.-]+\\)[ \t]*\\??[ \t]*:" typed)
       1 font-lock-variable-name-face)
      (,(pdl-prompt--within "\\_<\\([[:alnum:]_-]+\\)[ \t]*(" 'tools) 1 font-lock-function-name-face)
      (,(apply #'pdl-prompt--within "\\_<\\(?:true\\|false\\|null\\)\\_>" 'config typed)
       . font-lock-constant-face)
      (,(apply #'pdl-prompt--within (regexp-opt pdl-prompt--types 'symbols) typed)
       . font-lock-type-face)
      (,(apply #'pdl-prompt--within "\\_<[A-Z][[:alnum:]_-]*" typed) . font-lock-type-face)
      (,(pdl-prompt--within "^[ \t]*\\([^ \t\n:{<]+\\)[ \t]*:" 'config)
       1 font-lock-variable-name-face)
      (,(pdl-prompt--all 'name) . font-lock-function-name-face)
      (,(pdl-prompt--all 'turn) . font-lock-builtin-face)
      (,(pdl-prompt--all 'refused) . font-lock-keyword-face)
      (,(pdl-prompt--within "@[^ \t\n]+\\|[^ \t\n]+\\.pdl\\_>" 'argument)
       . font-lock-string-face)
      (,(pdl-prompt--within
         (concat "refused[ \t]+"
                 (regexp-opt '("absent" "truncated" "unparsable" "wrong-schema" "ambiguous" "elided"
                               "limit")
                             t)
                 "[ \t]*\\(?:@\\|$\\)")
         'refused)
       1 font-lock-constant-face)
      (,(pdl-prompt--within "\\_<\\(?:true\\|false\\|null\\)[ \t]*$" 'argument)
       . font-lock-constant-face)
      (,(pdl-prompt--within "\\(\"[^\"\n]*\"\\)[ \t]*:" 'data) 1 font-lock-variable-name-face t)
      (,(pdl-prompt--within
         "^[ \t]*\\(?:-[ \t]+\\)*\\([[:alpha:]_][[:alnum:]_-]*\\):\\(?:[ \t]\\|$\\)" 'data)
       1 font-lock-variable-name-face)))
  "Highlighting of prompt files and of files of cases.")

(defvar pdl-prompt-mode-syntax-table
  (let ((table (make-syntax-table)))
    (dolist (character (string-to-list "\\\"'+*/&|<>=%@?"))
      (modify-syntax-entry character "." table)) ; text has quotation marks and apostrophes
    (dolist (character (string-to-list "_-"))
      (modify-syntax-entry character "_" table))
    table)
  "Syntax table of prompt files.")

;;;###autoload
(define-derived-mode pdl-prompt-mode prog-mode "Prompt"
  "Major mode for the prompt files of pdl, and for files of cases, NAME.tests.pdl."
  (add-hook 'syntax-propertize-extend-region-functions #'syntax-propertize-multiline 'append 'local)
  (setq-local comment-start "{# "
              comment-end " #}"
              comment-start-skip "{#-?[ \t]*"
              comment-end-skip "[ \t]*-?#}"
              indent-tabs-mode nil
              indent-line-function #'indent-relative
              syntax-propertize-function #'pdl-prompt--propertize
              parse-sexp-lookup-properties t
              imenu-generic-expression `((nil ,(concat "^[ \t]*" pdl-prompt--marker) 1))
              outline-regexp "[ \t]*<|[ \t]*[[:alpha:]]+[ \t]*|>"
              font-lock-defaults '(pdl-prompt-font-lock-keywords))
  (when (pdl-prompt--cases-p)
    (setq-local comment-start "# "
                comment-end ""
                comment-start-skip "#+[ \t]*"
                comment-end-skip nil
                syntax-propertize-function #'pdl-prompt--propertize-cases
                imenu-generic-expression
                '((nil "^[ \t]*<|[ \t]*case[ \t]*|>[ \t]*\\(.*[^ \t\n]\\)" 1)))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.pdl\\'" . pdl-prompt-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(pdl-prompt-mode . pdl-prompt--server)))

(defun pdl-prompt--server (&rest _)
  "The command of the language server, for Eglot."
  pdl-prompt-server)

(provide 'pdl-prompt-mode)
;;; pdl-prompt-mode.el ends here
