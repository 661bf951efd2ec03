"""What is drawn: figures as values, drawn by matplotlib and written as gnuplot scripts; the pictures themselves."""
