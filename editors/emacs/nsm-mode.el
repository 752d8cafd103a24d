;;; nsm-mode.el --- editing models of nsm  -*- lexical-binding: t; -*-

;; Colours, indentation, layout when a file is saved, and the language server by eglot.
;; In the init file:  (add-to-list 'load-path ".../editors/emacs") (require 'nsm-mode)

;;; Code:
(require 'nsm-words)

(defgroup nsm nil "Models of nonsmooth dynamics." :group 'languages)
(defcustom nsm-command "nsm" "The program." :type 'string)
(defcustom nsm-format-on-save t "Lay out a model when it is saved?" :type 'boolean)
(defcustom nsm-indent 2 "Blanks for each open bracket." :type 'integer)

(defvar nsm-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?' "." table)
    table))

(defvar nsm-font-lock-keywords
  `(("\\_<\\(model\\|function\\)\\s-+\\(\\w+\\)" 2 font-lock-type-face)
    ("\\_<\\(contact\\|constraint\\|relation\\)\\s-+\\(\\w+\\)" 2 font-lock-function-name-face)
    ("[0-9]\\s-*\\(\\[[^][\n;]*\\]\\)" 1 font-lock-preprocessor-face)
    (,(regexp-opt nsm-words-declare 'words) . font-lock-type-face)
    (,(regexp-opt nsm-words-item 'words) . font-lock-keyword-face)
    (,(regexp-opt nsm-words-operator 'words) . font-lock-keyword-face)
    (,(concat (regexp-opt nsm-words-function 'words) "\\s-*(") 1 font-lock-builtin-face)
    (,(regexp-opt nsm-words-law 'words) . font-lock-builtin-face)
    (,(concat (regexp-opt nsm-words-part 'words) "\\s-*=") 1 font-lock-variable-name-face)
    (,(regexp-opt nsm-words-constant 'words) . font-lock-constant-face)))

(defun nsm-indent-line ()
  "Two blanks for each bracket that is open where the line begins."
  (let* ((here (- (current-column) (current-indentation)))
         (depth (save-excursion (beginning-of-line) (car (syntax-ppss))))
         (closes (save-excursion (back-to-indentation) (looking-at "[])}]"))))
    (indent-line-to (* nsm-indent (max 0 (if closes (1- depth) depth))))
    (when (> here 0) (forward-char (min here (- (line-end-position) (point)))))))

(defun nsm-format ()
  "The buffer as `nsm fmt' lays it out; a text that cannot be read stays as it is."
  (interactive)
  (let ((out (generate-new-buffer " *nsm fmt*")))
    (unwind-protect
        (when (eq 0 (call-process-region nil nil nsm-command nil (list out nil) nil "fmt" "-"))
          (replace-buffer-contents out))
      (kill-buffer out))))

(defun nsm-format-before-save ()
  "Lays out the model where `nsm-format-on-save' says so."
  (when nsm-format-on-save (nsm-format)))

;;;###autoload
(define-derived-mode nsm-mode prog-mode "nsm"
  "Major mode for models of nsm."
  (setq-local comment-start "// " comment-end "" comment-start-skip "//+\\s-*"
              font-lock-defaults '(nsm-font-lock-keywords)
              indent-line-function #'nsm-indent-line
              indent-tabs-mode nil fill-column 120
              compile-command (concat nsm-command " check " (or buffer-file-name "")))
  (add-hook 'before-save-hook #'nsm-format-before-save nil t))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.nsm\\'" . nsm-mode))

(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs `(nsm-mode . (,nsm-command "lsp"))))

(provide 'nsm-mode)
;;; nsm-mode.el ends here
